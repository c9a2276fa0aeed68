/** What consumers claim back through their banks in the past of a filled shop: disputes in every state. */
import type { DisputeStep } from '../../../simulator/dispute-steps.ts';
import type { Ledger, LedgerPayment } from '../../../simulator/simulator.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import { during, type Period } from './live-team.ts';
import type { Life } from './lives.ts';
import type { FillStage } from './open-past.ts';

type Story = {
  /** When the dispute is opened: a share of the period. */
  readonly opensAt: number;
  readonly steps: readonly DisputeStep[];
  /** Of the payment; the whole of it unless given. */
  readonly share?: number;
  /** The shop refunds at the provider while the dispute is open, and so loses twice. */
  readonly isRefunded?: true;
};

/** The last ones wait for the shop or the bank when a person looks. */
const stories: readonly Story[] = [
  { opensAt: 0.4, steps: ['under_review', 'won'] },
  { opensAt: 0.45, steps: ['lost'] },
  { opensAt: 0.5, steps: ['action_required', 'under_review', 'won'], share: 0.5 },
  { opensAt: 0.55, steps: ['action_required', 'closed'] },
  // The bank contradicts itself.
  { opensAt: 0.6, steps: ['under_review', 'won', 'lost'] },
  { opensAt: 0.65, steps: ['under_review', 'won'], share: 0.3 },
  { opensAt: 0.7, steps: [], isRefunded: true },
  { opensAt: 0.85, steps: ['under_review'] },
  { opensAt: 0.9, steps: ['action_required'], share: 0.4 },
  { opensAt: 0.97, steps: [] },
];

export function listDisputeLives(stage: FillStage, period: Period): Life[] {
  const disputed = new Set<string>();
  return stories.map((story) => liveDispute(stage, period, story, disputed));
}

async function* liveDispute(
  { simulator, clock }: FillStage,
  period: Period,
  { opensAt, steps, share = 1, isRefunded }: Story,
  disputed: Set<string>,
): Life {
  yield during(period, opensAt);
  const payment = choosePayment(simulator.ledger(), disputed);
  if (!payment) return;
  disputed.add(payment.id);
  const amount = Math.ceil(payment.amount * share);
  const id = await simulator.disputes.open(payment.id, { amount });
  // Each takes a thirtieth of the period: a day in a month.
  const stepSeconds = (period.until.getTime() - period.from.getTime()) / 30_000;
  if (isRefunded) {
    yield addSeconds(clock.now(), stepSeconds);
    await simulator.refundElsewhere(payment.id, payment.amount);
  }
  for (const step of steps) {
    yield addSeconds(clock.now(), stepSeconds);
    await simulator.disputes.move(id ?? '', step);
  }
}

/** The newest that was started here, is paid at the partner and not refunded; one that is not disputed, if there is one. */
function choosePayment(
  { payments, refunds }: Ledger,
  disputed: ReadonlySet<string>,
): LedgerPayment | undefined {
  const refunded = new Set(refunds.map(({ paymentId }) => paymentId));
  // A sale at the counter names an invoice and no transaction.
  const isOfService = ({ reference }: LedgerPayment) => /-\d{12}$/.test(reference);
  const paid = payments.filter(
    (one) =>
      one.provider === 'partner' &&
      one.status === 'captured' &&
      isOfService(one) &&
      !refunded.has(one.id),
  );
  return paid.findLast(({ id }) => !disputed.has(id)) ?? paid.at(-1);
}
