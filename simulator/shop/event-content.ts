/** What is shown of an event. Its sender may be anybody, so every text is shortened and cleaned. */
import { object, text } from '../wire.ts';

export type EventContent = {
  readonly type?: string;
  readonly sequence?: string;
  readonly status?: string;
  readonly message?: string;
  readonly orderId?: string;
  readonly invoiceId?: string;
  readonly transactionId?: string;
  readonly occurredAt?: string;
};

const wordLengthMax = 100;
const bodyLengthMax = 8 * 1024;
/** An event has about twenty; indenting what is nested much deeper would take more memory than its bytes. */
const bracketsMax = 200;

export function readContent(event: unknown): EventContent {
  const fields = object(event);
  const words = {
    type: fields.event_type,
    sequence: fields.sequence,
    status: fields.status,
    message: fields.message,
    orderId: fields.svc_order_id,
    invoiceId: object(fields.order).invoice_id,
    transactionId: fields.svc_transaction_id,
    occurredAt: fields.occurred_at,
  };
  const read = Object.entries(words).flatMap(([name, value]) => {
    const word = text(value);
    return word === undefined ? [] : [[name, cleanWord(word)] as const];
  });
  return Object.fromEntries(read);
}

/** Control characters could change what a terminal or a page shows around them. */
export function cleanWord(word: string): string {
  const cut = word.length > wordLengthMax ? `${word.slice(0, wordLengthMax)}…` : word;
  return cut.replaceAll(/\p{C}/gu, '�');
}

export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The start of the body, with the event in it indented. */
export function bodyText(event: unknown, body: Buffer): string {
  const raw = body.toString('utf8');
  const isFlat = (raw.match(/[[{]/g)?.length ?? 0) <= bracketsMax;
  const whole = typeof event === 'object' && isFlat ? JSON.stringify(event, null, 2) : raw;
  const cut = whole.length > bodyLengthMax ? `${whole.slice(0, bodyLengthMax)}…` : whole;
  return cut.replaceAll(/(?![\n\t])\p{C}/gu, '�');
}
