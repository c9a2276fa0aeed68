/** `dispute list` and `dispute show`: what consumers dispute, and until when the provider accepts an answer. */
import { type Dispute, disputeStatuses, isFinalDispute } from '../../domain/disputes/dispute.ts';
import { disputeLimits } from '../../domain/disputes/limits.ts';
import { findExponent } from '../../domain/money/currency.ts';
import { addSeconds } from '../../domain/time.ts';
import { providers } from '../../providers/providers.ts';
import { getEvidence } from '../../use-cases/disputes/get-evidence.ts';
import {
  isDisputeCursor,
  type ListedDispute,
  listDisputes,
} from '../../use-cases/disputes/list-disputes.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { accountArgument, checkAccount, choiceOption } from '../framework/common-options.ts';
import { defineList, listScope } from '../framework/list.ts';
import { paint, renderFields } from '../framework/screen.ts';
import {
  amountNumber,
  amountText,
  type Column,
  renderTable,
  styleOfStatus,
} from '../framework/table.ts';

function disputeView(dispute: Dispute) {
  return {
    disputeId: dispute.disputeId,
    status: dispute.status,
    phase: dispute.phase,
    reasonCode: dispute.reasonCode,
    reason: dispute.reason,
    amount: amountNumber(dispute.amount, dispute.currency),
    currency: dispute.currency,
    amountDeducted: amountNumber(dispute.amountDeducted, dispute.currency),
    respondBy: dateOf(dispute.respondByMs),
    actionRequired: dispute.actionRequired,
    createdAt: dateOf(dispute.createdAtMs),
  };
}

function listedView({ dispute, accountId, orderId, invoiceId, ...listed }: ListedDispute) {
  const { transactionId, provider, changedAt } = listed;
  const of = { accountId, orderId, invoiceId, transactionId, provider, changedAt };
  return { ...disputeView(dispute), ...of };
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

type Listed = ReturnType<typeof listedView>;

const columns: ReadonlyArray<Column<Listed>> = [
  { title: 'DEADLINE', text: deadlineOf, style: () => 'yellow' },
  {
    title: 'STATUS',
    text: ({ status, actionRequired }) => (actionRequired ? `${status}!` : status),
    style: ({ status }) => styleOfStatus(status),
  },
  { title: 'AMOUNT', text: ({ amount, currency }) => amountText(amount, currency), isRight: true },
  { title: 'PHASE', text: ({ phase }) => phase },
  { title: 'REASON', text: ({ reason, reasonCode }) => reasonCode ?? reason, widthMax: 26 },
  { title: 'DISPUTE', text: ({ disputeId }) => disputeId },
  { title: 'ORDER', text: ({ orderId }) => orderId },
  { title: 'ACCOUNT', text: ({ accountId }) => accountId },
];

/** Only while it matters: until the dispute is final. Marked when the time is short. */
function deadlineOf({ respondBy, status }: Listed, { now }: { readonly now: Date }) {
  if (respondBy === null || isFinalDispute(status)) return null;
  const isUrgent = respondBy < addSeconds(now, disputeLimits.urgentSeconds);
  return `${respondBy.toISOString().slice(0, 16)}Z${isUrgent ? '!' : ''}`;
}

export const disputeList = defineList({
  name: ['dispute', 'list'],
  summary: 'List disputes, the nearest deadline first.',
  description:
    'Lists the disputes that are not final by their deadline, the nearest first, and then those that ended, the newest first. "!" marks a deadline within 72 hours, and a dispute whose provider asks for something. A page looks at 20,000 disputes at most, so with a filter it may have few rows and a next page.',
  options: {
    status: choiceOption('STATUS', 'Only those of this status', disputeStatuses),
    phase: { value: 'PHASE', text: 'Only those of this phase, such as chargeback.' },
    provider: choiceOption(
      'PROVIDER',
      'Only those of this provider',
      providers.map(({ name }) => name),
    ),
    currency: { value: 'CODE', text: 'Only those in this currency, such as INR.' },
    after: { value: 'NEXT', text: 'Continue at the "next" of the last page.' },
  },
  since: 'Only those that changed since then.',
  examples: ['dispute list', 'dispute list --account acc_… --status open --json'],
  rows: 'disputes',
  columns,
  prepare: ({ status, phase, provider, currency, after }) => {
    if (after !== undefined && !isDisputeCursor(after)) {
      throw new UsageError('--after must be the "next" of a page.');
    }
    if (phase?.trim() === '') throw new UsageError('--phase must be a word such as chargeback.');
    if (currency !== undefined && findExponent(currency) === undefined) {
      throw new UsageError('--currency must be a code of ISO 4217, such as INR.');
    }
    return async (services, page) => {
      const filter = { status, phase, provider, currency, changedSince: page.since };
      const query = { ...page, filter };
      const { disputes, next } = await listDisputes(
        services,
        await listScope(services, page),
        query,
      );
      return { rows: disputes.map(listedView), next };
    };
  },
});

export const disputeShow = defineCommand({
  name: ['dispute', 'show'],
  summary: 'Print one dispute with its payment and what happened.',
  description:
    'Prints a dispute, the disputed payment with the reference of the bank, what happened to the order in plain words, and the events that were sent to the shop. The dashboard has the same as a page to print, with the consumer and the items.',
  arguments: [
    accountArgument,
    {
      name: 'DISPUTE_ID',
      phrase: 'a dispute id',
      text: 'The dispute, as the provider and "dispute list" name it.',
    },
  ],
  examples: ['dispute show acc_… disp_…'],
  run: async (services, { positionals: [accountId = '', disputeId = ''] }) => {
    await checkAccount(services, accountId);
    const { dispute, page, steps, events } = await getEvidence(
      services,
      accountId,
      disputeId,
      true,
    );
    const { order, payments } = page;
    return {
      dispute: { ...disputeView(dispute), accountId, orderId: order.orderId },
      payments: payments.map(({ payment, available }) => ({
        transactionId: payment.transactionId,
        invoiceId: order.invoiceId,
        paymentStatus: payment.status,
        amount: amountNumber(payment.amount, payment.currency),
        currency: payment.currency,
        availableAmount: amountNumber(available, payment.currency),
        provider: payment.provider,
        pspTransactionId: payment.pspTransactionId,
        paymentArn: payment.paymentArn,
      })),
      timeline: steps,
      events,
    };
  },
  render: ({ dispute, payments, timeline, events }, screen) => {
    const title = (text: string) => `\n${paint(screen, 'bold', `${text}:`)}`;
    return [
      renderFields(dispute),
      title('Payment'),
      ...payments.map(renderFields),
      title('What happened'),
      renderTable(timeline, stepColumns, screen, 'Nothing.'),
      title('Events sent to the shop'),
      renderTable(events, eventColumns, screen, 'None.'),
    ].join('\n');
  },
});

type Shown = Awaited<ReturnType<typeof getEvidence>>;

const stepColumns: ReadonlyArray<Column<Shown['steps'][number]>> = [
  { title: 'AT', text: ({ at }) => at.toISOString() },
  { title: 'WHAT', text: ({ text }) => text },
];

const eventColumns: ReadonlyArray<Column<Shown['events'][number]>> = [
  { title: 'AT', text: ({ at }) => at.toISOString() },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'DELIVERED', text: ({ takenAt }) => takenAt?.toISOString() },
];
