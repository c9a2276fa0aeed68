/**
 * Figures: counts and sums over the orders that were created in a half hour. An order belongs to one half hour for ever,
 * so figures of several can be added, and each has a list of orders behind it.
 */

/**
 * What is counted. `created` and `completed` are orders; `paid` and `failed` are orders with a payment that succeeded or
 * failed, and `refunded` those with a refund that succeeded. `mode` and `provider` are the parts of `paid`, and `failure`
 * those of `failed`, by name. An order with payments of two names counts for both.
 */
export const figureKinds = [
  'created',
  'completed',
  'paid',
  'failed',
  'refunded',
  'mode',
  'provider',
  'failure',
] as const;

export type FigureKind = (typeof figureKinds)[number];

/** Kinds with many names, of which an overview shows the sums of its period. They are also stored by day of UTC. */
export const shareKinds = ['mode', 'provider', 'failure'] as const satisfies FigureKind[];

export type ShareKind = (typeof shareKinds)[number];

export type FigureSum = {
  /** Each order once, however many of its payments are counted. */
  readonly orders: number;
  /** Payments or refunds; 0 where orders are counted. */
  readonly payments: number;
  /**
   * In minor units. Of the orders where orders are counted, else of their payments or refunds. A payment in another
   * currency than its order is counted and not summed up. A sum may exceed what a number represents exactly.
   */
  readonly amount: bigint;
};

export type Figure = FigureSum & {
  readonly kind: FigureKind;
  /** Of the payment mode, the provider or the failure; empty if unknown, and for the other kinds. */
  readonly name: string;
  readonly currency: string;
};

export const noFigure: FigureSum = { orders: 0, payments: 0, amount: 0n };

export function addFigures(one: FigureSum, other: FigureSum): FigureSum {
  return {
    orders: one.orders + other.orders,
    payments: one.payments + other.payments,
    amount: one.amount + other.amount,
  };
}

/** One line for each difference, such as `paid INR: 2 orders, 2 payments, 300 instead of 1 orders, 1 payments, 150`. */
export function listDifferences(stored: readonly Figure[], counted: readonly Figure[]): string[] {
  const storedByName = new Map(stored.map((figure) => [nameOf(figure), figure]));
  const countedByName = new Map(counted.map((figure) => [nameOf(figure), figure]));
  const names = [...new Set([...storedByName.keys(), ...countedByName.keys()])].sort();
  return names.flatMap((name) => {
    const is = describe(storedByName.get(name) ?? noFigure);
    const shouldBe = describe(countedByName.get(name) ?? noFigure);
    return is === shouldBe ? [] : [`${name}: ${is} instead of ${shouldBe}`];
  });
}

function nameOf({ kind, name, currency }: Figure): string {
  return [kind, name, currency].filter(Boolean).join(' ');
}

function describe({ orders, payments, amount }: FigureSum): string {
  return `${orders} orders, ${payments} payments, ${amount}`;
}
