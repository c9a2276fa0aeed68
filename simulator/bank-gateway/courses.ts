/** The steps that follow at the gateway after the bank's approval, as a table. */
import type { TransactionType } from './state.ts';

export type GatewayCourse =
  | 'paid'
  | 'captured-later'
  | 'released'
  | 'captured-in-parts'
  | 'captured-in-part'
  | 'captured-again'
  | 'voided';

export type Course = {
  /** The type of the transaction that the consumer's attempt creates. */
  readonly opens: 'PAYMENT' | 'AUTHORIZATION';
  /** Later steps of the shop or the bank, each after a delay. */
  readonly steps: readonly Step[];
};

export type Step = {
  readonly type: TransactionType;
  /** The number of its target transaction; the consumer's own is 1. */
  readonly target: number;
  readonly isTargetHidden?: boolean;
  readonly share: 'whole' | 'first part' | 'remainder';
};

const whole = { target: 1, share: 'whole' } as const;
const firstPart = { target: 1, share: 'first part' } as const;
const remainder = { target: 1, share: 'remainder' } as const;

export const courses: Readonly<Record<GatewayCourse, Course>> = {
  paid: { opens: 'PAYMENT', steps: [] },
  'captured-later': {
    opens: 'AUTHORIZATION',
    steps: [{ type: 'CAPTURE', ...whole, isTargetHidden: true }],
  },
  released: {
    opens: 'AUTHORIZATION',
    steps: [{ type: 'VOID_AUTHORIZATION', ...whole }],
  },
  'captured-in-parts': {
    opens: 'AUTHORIZATION',
    steps: [
      { type: 'CAPTURE', ...firstPart },
      { type: 'CAPTURE', ...remainder, isTargetHidden: true },
    ],
  },
  'captured-in-part': {
    opens: 'AUTHORIZATION',
    steps: [
      { type: 'CAPTURE', ...firstPart },
      { type: 'VOID_AUTHORIZATION', ...remainder },
    ],
  },
  'captured-again': {
    opens: 'AUTHORIZATION',
    steps: [
      { type: 'CAPTURE', ...whole },
      { type: 'VOID_CAPTURE', ...whole, target: 2 },
      { type: 'CAPTURE', ...whole },
    ],
  },
  voided: {
    opens: 'PAYMENT',
    steps: [{ type: 'VOID_PAYMENT', ...whole }],
  },
};

/** The first part is 60 %. Both parts are whole minor units and add up to the amount. */
export function amountOf(share: Step['share'], amount: number): number {
  const first = Math.ceil((amount * 60) / 100);
  switch (share) {
    case 'whole':
      return amount;
    case 'first part':
      return first;
    case 'remainder':
      return amount - first;
    default:
      return share satisfies never;
  }
}
