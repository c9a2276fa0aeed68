/** Compares what the service reports about orders with the ledger of the providers. */
import type { Client, Enquiry } from '../../client/client.js';
import type { Scenario } from '../../simulator/scenario.ts';
import type { Ledger, Simulator } from '../../simulator/simulator.ts';
import type { End } from './ends.ts';
import { enquireUntil } from './enquire-until.ts';
import { wrongDisputes, wrongsOf } from './judge-end.ts';

export type ChaosStage = {
  readonly baseUrl: string;
  readonly client: Client;
  readonly simulator: Simulator;
};

/** The result of one order; the amount is in minor units. */
type Traveller = {
  readonly orderId: string;
  readonly scenario: Scenario['name'];
  readonly end: End;
  readonly status: string;
  readonly attempts: number;
  readonly refunded: number;
  readonly disputes: number;
};

export type ChaosResult = {
  readonly travellers: readonly Traveller[];
  /** Empty if every order ended as expected. */
  readonly troubles: readonly string[];
  readonly seconds: number;
};

export type Journey = {
  readonly orderId: string;
  readonly scenario: Scenario;
  /** The expected end. */
  readonly end: End;
  readonly troubles: readonly string[];
};

/** The time in which transactions that are still open must become final. */
const patienceMs = 90_000;

/** Call it after the chaos has ended. Transactions that are still open get time to become final. */
export async function judgeAll(
  stage: ChaosStage,
  journeys: readonly Journey[],
): Promise<Pick<ChaosResult, 'travellers' | 'troubles'>> {
  await stage.simulator.settled();
  const ledger = stage.simulator.ledger();
  const ends = [];
  for (const journey of journeys) ends.push(await judge(stage, journey, ledger));
  return {
    travellers: ends.map(({ traveller }) => traveller),
    troubles: [
      ...journeys.flatMap(({ troubles }) => troubles),
      ...ends.flatMap((end) => end.troubles),
    ],
  };
}

/** The ledger of the providers is the truth. */
async function judge({ client }: ChaosStage, { orderId, scenario, end }: Journey, ledger: Ledger) {
  const isOwn = ({ reference }: { reference: string }) => reference.startsWith(orderId);
  const payments = ledger.payments.filter(isOwn);
  const disputes = ledger.disputes.filter(isOwn);
  // If the answer to the start of a payment was lost, nobody pays; the payment stays open until its order lapses.
  const stuck = (answer: Enquiry) =>
    openOf(answer).filter(
      ({ transaction_type, svc_transaction_id }) =>
        transaction_type !== 'payment' ||
        payments.some(
          ({ reference, status }) => reference === svc_transaction_id && status !== 'failed',
        ),
    );
  const patient = { client, patienceMs };
  const enquiry = await enquireUntil(
    patient,
    { order_id: orderId },
    (answer) => stuck(answer).length + wrongDisputes(answer, disputes).length === 0,
  ).catch(() => client.transactionEnquiry({ order_id: orderId }));
  const { order, transaction } = enquiry;
  const processed = ledger.refunds.filter(
    (refund) => isOwn(refund) && refund.status === 'processed',
  );
  const truth = processed.reduce((sum, { amount }) => sum + amount, 0);
  const refunded = Math.round((order.refund_details?.refunded_amount ?? 0) * 100);
  const open = stuck(enquiry);
  const wrongs = [
    ...wrongsOf(end, enquiry, payments),
    ...wrongDisputes(enquiry, disputes),
    refunded !== truth && `says ${refunded} refunded, the providers ${truth}`,
    open.length > 0 && `has ${open.length} open transactions`,
  ];
  return {
    traveller: {
      orderId,
      scenario: scenario.name,
      end,
      status: order.status,
      attempts: transaction.filter(({ transaction_type }) => transaction_type === 'payment').length,
      refunded,
      disputes: disputes.length,
    },
    troubles: wrongs
      .filter((wrong) => wrong !== false)
      .map((wrong) => `${orderId} (${scenario.name}) ${wrong}`),
  };
}

function openOf({ transaction }: Enquiry) {
  return transaction.filter(({ payment_status, refund_status, transaction_type }) =>
    ['new', 'pending', 'authorized', 'reversing'].includes(
      (transaction_type === 'payment' ? payment_status : refund_status) ?? '',
    ),
  );
}
