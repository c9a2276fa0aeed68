/** Disputes at the partner: a consumer claims a captured payment back through their bank. */
import { behaviourOf } from '../behaviours.ts';
import { claimedBy, type DisputeStep, type DisputeWish } from '../dispute-steps.ts';
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import type { World } from '../world.ts';
import { partnerEvent } from './events.ts';
import {
  type PartnerDispute,
  type PartnerPayment,
  type PartnerState,
  referencesOf,
} from './state.ts';

type Parties = {
  readonly world: World;
  readonly state: PartnerState;
  readonly shop: PartnerShop;
};

const respondWithinSeconds = 7 * 24 * 3600;
/** Days or weeks at the real partner; here short enough for webhooks to be collected and swapped with those before. */
const stepAfterMs = 1_500;

/** The id of the dispute. Undefined if the payment is not captured, or the claim exceeds it. */
export async function openPartnerDispute(
  world: World,
  state: PartnerState,
  paymentId: string,
  wish: DisputeWish,
): Promise<string | undefined> {
  const shop = await world.shops.findPartner(state.payments.get(paymentId)?.keyId ?? '');
  const payment = state.payments.get(paymentId);
  if (!shop || payment?.status !== 'captured') return undefined;
  if ((wish.amount ?? 0) > payment.amount) return undefined;
  return openDispute({ world, state, shop }, payment, wish).id;
}

/** Also of a dispute that is final: a bank may contradict itself. False if there is no such dispute. */
export async function movePartnerDispute(
  world: World,
  state: PartnerState,
  disputeId: string,
  step: DisputeStep,
): Promise<boolean> {
  const payment = state.payments.get(state.disputes.get(disputeId)?.paymentId ?? '');
  const shop = await world.shops.findPartner(payment?.keyId ?? '');
  if (!shop) return false;
  takeStep({ world, state, shop }, disputeId, step);
  return true;
}

/** What the scenario plans, side by side. */
export function raiseDisputes(parties: Parties, scenario: Scenario, payment: PartnerPayment): void {
  const { schedule } = parties.world;
  for (const plan of behaviourOf(scenario).disputes) {
    schedule.run(async () => {
      await schedule.wait(stepAfterMs, scenario.delayMs);
      const { id } = openDispute(parties, payment, { amount: claimedBy(plan, payment.amount) });
      for (const step of plan.steps) {
        await schedule.wait(stepAfterMs, scenario.delayMs);
        takeStep(parties, id, step);
      }
    });
  }
}

function openDispute(
  parties: Parties,
  { id: paymentId, amount, currency }: PartnerPayment,
  wish: DisputeWish,
): PartnerDispute {
  const { world, state } = parties;
  const number = [...state.disputes.values()].filter((one) => one.paymentId === paymentId).length;
  const createdAt = Math.floor(world.now() / 1000);
  const dispute: PartnerDispute = {
    id: `disp_${idOf(world.seed, `dispute:${paymentId}:${number}`, 14)}`,
    paymentId,
    amount: wish.amount ?? amount,
    currency,
    status: 'open',
    phase: wish.phase ?? 'chargeback',
    createdAt,
    respondBy: createdAt + (wish.respondWithinSeconds ?? respondWithinSeconds),
    events: 0,
  };
  report(parties, dispute, 'created');
  return dispute;
}

function takeStep(parties: Parties, disputeId: string, step: DisputeStep): void {
  const dispute = parties.state.disputes.get(disputeId);
  if (!dispute) return;
  const status = step === 'action_required' ? dispute.status : step;
  report(parties, { ...dispute, status }, step);
}

function report({ world, state, shop }: Parties, before: PartnerDispute, word: string): void {
  const dispute = { ...before, events: before.events + 1 };
  state.disputes.set(dispute.id, dispute);
  // The current payment: part of it may have been refunded in the meantime.
  const payment = state.payments.get(dispute.paymentId);
  const order = state.orders.get(payment?.orderId ?? '');
  if (!payment || !order) return;
  world.log(`partner: dispute ${dispute.id} of ${payment.id}: ${word}, ${amountText(dispute)}`);
  const scenario = world.scenarios.of([...referencesOf(order), payment.id, dispute.id]);
  const event = `payment.dispute.${word}`;
  world.webhooks.post(
    payment.id,
    [partnerEvent(world, shop, event, { payment, dispute })],
    scenario,
  );
}
