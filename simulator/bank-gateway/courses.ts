/** What follows at the gateway once the bank has said yes, step by step, as a table. */
import type { TransactionType } from './state.ts';

export type GatewayCourse =
  | 'paid'
  | 'captured-later'
  | 'released'
  | 'captured-in-parts'
  | 'captured-in-part'
  | 'captured-again'
  | 'voided'
  | 'charged-back';

export type Course = {
  /** How the consumer's try goes into the states. */
  readonly opens: 'PAYMENT' | 'AUTHORIZATION';
  /** What the shop or the bank does later, each after a wait. */
  readonly steps: readonly Step[];
};

export type Step = {
  readonly type: TransactionType;
  /** The number of the transaction it acts on; the consumer's own is 1. */
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
  'charged-back': {
    opens: 'PAYMENT',
    steps: [{ type: 'CHARGEBACK', ...whole }],
  },
};

/** Sixty percent come first. Whole minor units, and both parts add up to the amount. */
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
