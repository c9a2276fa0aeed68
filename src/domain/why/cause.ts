/** The causes of changes in the history of an order: a delivery, a call, a request, an operator or time. Contract 4.7. */

export type Cause =
  | { readonly kind: 'delivery'; readonly deliveryId: string }
  /** Our call to a provider. */
  | { readonly kind: 'call'; readonly operation: string }
  /** A request of the shop or of the consumer. */
  | { readonly kind: 'request'; readonly name: string }
  | { readonly kind: 'operator'; readonly command: string }
  | { readonly kind: 'time' };

const operations: ReadonlySet<string> = new Set([
  ...['start-payment', 'start-intent', 'start-refund', 'fetch-status'],
]);

/** From the text that the history stores. */
export function causeOf(text: string): Cause {
  if (text.startsWith('dlv_')) return { kind: 'delivery', deliveryId: text };
  if (operations.has(text)) return { kind: 'call', operation: text };
  if (text === 'time') return { kind: 'time' };
  if (text === 'rebuild') return { kind: 'operator', command: 'order rebuild' };
  return { kind: 'request', name: text };
}
