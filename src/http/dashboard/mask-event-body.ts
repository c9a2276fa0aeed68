/** The body of an event for viewers: the consumer is masked as an order token sees them. Contract 13.4. */
import { maskAddress, maskName, maskPhone, maskUpiId } from '../../domain/consumers/mask.ts';

type Fields = Readonly<Record<string, unknown>>;

const masks: Readonly<Record<string, (text: string) => string>> = {
  email: maskAddress,
  first_name: maskName,
  last_name: maskName,
  mobile_number: maskPhone,
};

/** A sealed body has no such fields and stays as it is. */
export function maskEventBody(text: string): string {
  const body = JSON.parse(text) as Fields;
  const { user, transaction } = body;
  return JSON.stringify({
    ...body,
    ...(isFields(user) && { user: maskFields(user) }),
    ...(isFields(transaction) && {
      transaction: { ...transaction, sub_payment_mode: maskUpiId(transaction.sub_payment_mode) },
    }),
  });
}

function maskFields(user: Fields): Fields {
  const shown = Object.entries(user).map(([name, value]) => {
    const mask = masks[name];
    return [name, mask && value !== null ? mask(String(value)) : value];
  });
  return Object.fromEntries(shown);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
