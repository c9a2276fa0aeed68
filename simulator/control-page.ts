/** The simulator's own page: the scenario, the ledger and the latest log lines. */
import { behaviourOf, type ScenarioName, scenarioNames } from './behaviours.ts';
import { type Html, html, page } from './html.ts';
import { amountText } from './money.ts';
import type { Scenario } from './scenario.ts';
import type { LedgerPayment, LedgerRefund } from './world.ts';

type ControlView = {
  readonly scenario: Scenario;
  readonly lines: readonly string[];
  readonly payments: readonly LedgerPayment[];
  readonly refunds: readonly LedgerRefund[];
};

const chaosSays = 'Each payment and refund gets a scenario of its own, by seed.';

export function controlPage({ scenario, lines, payments, refunds }: ControlView): string {
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
${table('Payments', payments)}
<h2>Refunds</h2>
${table('Refunds', refunds)}
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

function table(name: string, entries: readonly (LedgerPayment | LedgerRefund)[]): Html {
  if (entries.length === 0) return html`<p class="dim">None yet.</p>`;
  const rows = entries.toReversed().map(
    (entry) => html`<tr><td>${entry.provider}</td><td>${entry.id}</td><td>${entry.reference}</td>
<td class="money">${amountText(entry)}</td><td class="${{ html: colours[entry.status] }}">${entry.status}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table>
<tr><th>Provider</th><th>Id</th><th>Reference</th><th>Amount</th><th>Status</th></tr>
${rows}
</table></div>`;
}

const colours: Readonly<Record<(LedgerPayment | LedgerRefund)['status'], string>> = {
  created: 'open',
  authorized: 'open',
  pending: 'open',
  captured: 'good',
  processed: 'good',
  failed: 'bad',
  reversed: 'bad',
};
