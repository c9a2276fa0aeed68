/** Third-party verification: the bank account from which an order must be paid. */
import { object, text, type Wire } from '../wire.ts';
import { badRequest } from './refusals.ts';

export type BankAccount = { readonly accountNumber: string; readonly ifsc: string };

const methods = ['netbanking', 'upi', 'card'];

/** Undefined if the order has none. */
export function readBankAccount(body: Wire): BankAccount | undefined {
  if (body.bank_account === undefined || body.bank_account === null) return undefined;
  const sent = object(body.bank_account);
  const [accountNumber, name, ifsc] = [text(sent.account_number), text(sent.name), text(sent.ifsc)];
  if (body.currency !== 'INR') throw badRequest('The currency should be INR for a bank account.');
  if (body.method !== undefined && !methods.includes(String(body.method))) {
    throw badRequest('The method cannot be used with a bank account.', 'method');
  }
  if (!accountNumber || !/^[A-Za-z0-9]{5,35}$/.test(accountNumber)) {
    throw badRequest('The account number is invalid.', 'bank_account.account_number');
  }
  if (!name) throw badRequest('The name field is required.', 'bank_account.name');
  if (!ifsc || !/^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifsc)) {
    throw badRequest('The ifsc is invalid.', 'bank_account.ifsc');
  }
  return { accountNumber, ifsc };
}
