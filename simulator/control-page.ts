/** The simulator's own page: the scenario, the ledger with what a tester can do about each entry, and the latest log lines. */
import { behaviourOf, type ScenarioName, scenarioNames } from './behaviours.ts';
import type { DisputeStep } from './dispute-steps.ts';
import { type Html, html, page } from './html.ts';
import { amountText } from './money.ts';
import type { Scenario } from './scenario.ts';
import type { LedgerDispute, LedgerPayment, LedgerRefund } from './world.ts';

type ControlView = {
  readonly scenario: Scenario;
  readonly lines: readonly string[];
  readonly payments: readonly LedgerPayment[];
  readonly refunds: readonly LedgerRefund[];
  readonly disputes: readonly LedgerDispute[];
};

const chaosSays = 'Each payment and refund gets a scenario of its own, by seed.';

export function controlPage(view: ControlView): string {
  const { scenario, lines, payments, refunds, disputes } = view;
  const names: ScenarioName[] = [...scenarioNames(), 'chaos'];
  return page(
    'Provider simulator',
    html`<main class="wide">
<h1>Provider simulator</h1>
<p class="dim">Simulates the payment partner and the bank card gateway: their APIs, their payment pages, a UPI app, and their webhooks. <a href="/shop">The shop</a> receives the events of the service.</p>
<h2>Scenario: ${scenario.name}</h2>
<p>${says(scenario.name)}</p>
<form class="two" method="post" action="/simulator/scenario">
<label>From now on <select name="scenario">${names.map((name) => option(name, scenario.name))}</select></label>
<label>Decline reason <input name="reason" value="${scenario.reason ?? ''}" placeholder="insufficient_funds"></label>
<button class="go">Change</button>
</form>
<h2>Payments</h2>
${table('Payments', payments, paymentForm)}
<h2>Refunds</h2>
${table('Refunds', refunds)}
<h2>Disputes</h2>
${table('Disputes', disputes, stepForm)}
<h2>Latest log lines, newest first</h2>
<pre class="log" tabindex="0" role="region" aria-label="Latest log lines">${lines.toReversed().join('\n') || 'Nothing yet.'}</pre>
</main>`,
  );
}

function option(name: ScenarioName, current: ScenarioName): Html {
  const selected = name === current ? html` selected` : html``;
  return html`<option value="${name}"${selected}>${name}: ${says(name)}</option>`;
}

function says(name: ScenarioName): string {
  return name === 'chaos' ? chaosSays : behaviourOf({ name }).says;
}

type Entry = LedgerPayment | LedgerRefund | LedgerDispute;

/** `formOf` says what can be done with an entry; the form is a row below it. */
function table<Listed extends Entry>(
  name: string,
  entries: readonly Listed[],
  formOf: (entry: Listed) => Html | undefined = () => undefined,
): Html {
  if (entries.length === 0) return html`<p class="dim">None yet.</p>`;
  const rows = entries.toReversed().map((entry) => {
    const form = formOf(entry);
    return html`<tr><td>${entry.provider}</td><td>${entry.id}</td><td>${entry.reference}</td>
<td class="money">${amountText(entry)}</td><td class="${{ html: colours[entry.status] }}">${entry.status}</td></tr>
${form && html`<tr class="act"><td colspan="5">${form}</td></tr>`}`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table>
<tr><th>Provider</th><th>Id</th><th>Reference</th><th>Amount</th><th>Status</th></tr>
${rows}
</table></div>`;
}

function paymentForm(payment: LedgerPayment): Html | undefined {
  if (payment.status === 'authorized') return holdForm(payment);
  return payment.status === 'captured' ? disputeForm(payment) : undefined;
}

/** Only the gateway voids, and captures a part. */
function holdForm({ provider, id }: LedgerPayment): Html {
  const button = (step: string, words: string) =>
    html`<button name="step" value="${step}">${words}</button>`;
  const isGateway = provider === 'bank-gateway';
  const amount = html`<input name="amount" inputmode="decimal" placeholder="all that is left" aria-label="Amount to capture of ${id}">`;
  return html`<form class="inline" method="post" action="/simulator/holds">
<input type="hidden" name="payment_id" value="${id}">${isGateway ? amount : undefined}
${button('capture', 'Capture')}${isGateway ? button('void', 'Void') : undefined}${button('expire', 'Expire hold')}</form>`;
}

/** The bank of the gateway takes the money at once; at the partner a dispute is opened first. */
function disputeForm({ provider, id }: LedgerPayment): Html {
  return html`<form class="inline" method="post" action="/simulator/disputes">
<input type="hidden" name="payment_id" value="${id}"><input name="amount" inputmode="decimal" placeholder="whole amount" aria-label="Amount to claim of ${id}">
<button>${provider === 'partner' ? 'Dispute' : 'Charge back'}</button></form>`;
}

const stepWords: readonly (readonly [DisputeStep, string])[] = [
  ['action_required', 'Ask for evidence'],
  ['under_review', 'Review'],
  ['won', 'Shop wins'],
  ['lost', 'Shop loses'],
  ['closed', 'Close'],
];

function stepForm({ id, status }: LedgerDispute): Html | undefined {
  if (status !== 'open' && status !== 'under_review') return undefined;
  const steps = stepWords.filter(([step]) => step !== status);
  return html`<form class="inline" method="post" action="/simulator/disputes/${id}">${steps.map(
    ([step, words]) => html`<button name="step" value="${step}">${words}</button>`,
  )}</form>`;
}

const colours: Readonly<Record<Entry['status'], string>> = {
  created: 'open',
  authorized: 'open',
  pending: 'open',
  captured: 'good',
  processed: 'good',
  failed: 'bad',
  reversed: 'bad',
  open: 'open',
  under_review: 'open',
  won: 'good',
  lost: 'bad',
  closed: 'good',
};
