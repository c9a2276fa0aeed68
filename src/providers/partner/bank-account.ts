/**
 * Third-party verification: the partner takes a payment only from the bank account that its order names. The number is
 * in that one call, and in nothing that is kept of its answer. Contract 3.14.
 */
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { Outcome, PaymentToStart, StartedPayment } from '../outbound.ts';
import { object, text } from '../wire.ts';
import { methods } from './call-partner.ts';
import { findFailureCode } from './failure.ts';

/** Nothing for an order without a bank account: the consumer may then change the method on the partner's page. */
export function accountFields({ bankAccount, modeCode }: PaymentToStart): object {
  if (!bankAccount) return {};
  const { accountNumber, name, ifsc } = bankAccount;
  return {
    method: methods[modeCode],
    bank_account: withoutAbsent({ account_number: accountNumber, name, ifsc }),
  };
}

/** A refusal, without what its words may quote of the account, and with a code of its own if the account is the reason. */
export function withoutAccount(
  { answer, result }: Outcome<StartedPayment>,
  { bankAccount }: PaymentToStart,
): Outcome<StartedPayment> {
  if (!bankAccount || result.kind !== 'refused' || answer.kind !== 'answered') {
    return { answer, result };
  }
  const error = object(answer.body.error);
  const isItsReason =
    findFailureCode(text(error.reason)) === mismatch || accountField.test(text(error.field) ?? '');
  const why = hideAccount(result.why, [bankAccount.accountNumber, bankAccount.name]);
  return { answer, result: { kind: 'refused', why, ...(isItsReason && { code: mismatch }) } };
}

const mismatch = 'BANK_ACCOUNT_MISMATCH';
const accountField = /^(bank_account|account_number|ifsc)/;

/** Numbers are hidden in any spelling, such as without leading zeros or in groups. */
function hideAccount(words: string, values: readonly (string | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const hidden = known.reduce((left, value) => left.replaceAll(value, '***'), words);
  return hidden.replace(/\d(?:[ -]?\d){5,}/g, '***');
}
