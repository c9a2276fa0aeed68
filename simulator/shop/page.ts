/** The page of the shop: how it answers, and the events that it has received, the last one first. */
import { type Html, html, page } from '../html.ts';
import { type AnswerName, answerNames, answerOf } from './answers.ts';
import { cleanWord } from './event-content.ts';
import type { StoredEvent } from './inbox.ts';
import { pageScript } from './page-script.ts';

type ShopView = {
  /** Where the service is to send events. */
  readonly url: string;
  readonly nonce: string;
  readonly answer: AnswerName;
  readonly secrets: number;
  readonly events: readonly StoredEvent[];
};

/** Parts with `data-live` and the rows of the list are replaced when they change; forms that are typed into stay. */
export function shopPage({ url, nonce, answer, secrets, events }: ShopView): string {
  return page(
    'Shop',
    html`<main class="wide">
<h1>Shop</h1>
<p class="dim">Receives the events of the service as a merchant’s server does. <a href="/">Both providers</a> are simulated, too.</p>
${connection(url, secrets)}
<h2>Answer events with</h2>
${answers(answer)}
<h2>Events, the last one first</h2>
<p id="away" class="note" role="status" hidden>The simulator does not answer. This page tries again.</p>
<noscript><p class="note">Reload the page to see new events.</p></noscript>
<p id="none" class="dim" data-live ${events.length === 0 ? html`` : html`hidden`}>None yet.</p>
<div id="events">${events.map(row)}</div>
</main>
<script nonce="${nonce}">${{ html: pageScript }}</script>`,
    style,
  );
}

function answers(current: AnswerName): Html {
  const buttons = answerNames().map(
    (name) =>
      html`<button name="answer" value="${name}" aria-pressed="${String(name === current)}">${answerOf(name).label}</button>`,
  );
  return html`<form id="answers" data-live method="post" action="/simulator/shop">
<div class="choice">${buttons}</div>
<p class="dim">${answerOf(current).says}</p>
</form>`;
}

function connection(url: string, secrets: number): Html {
  const known =
    secrets === 0
      ? 'no secret given yet'
      : secrets === 1
        ? '1 secret given'
        : `${secrets} secrets given`;
  const says =
    secrets === 0
      ? 'Events are shown, but not verified: give the secret that the command prints.'
      : 'Events are verified. Give another secret after a rotation, or for another endpoint.';
  return html`<details class="card" ${secrets === 0 ? html`open` : html``}>
<summary>Connect an endpoint <span id="known" class="dim" data-live>${known}</span></summary>
<pre>npm run --silent cli -- endpoint create ACCOUNT_ID --url ${url}</pre>
<p id="says" class="dim" data-live>${says} For encrypted events, also give the access secret.</p>
<form class="line" method="post" action="/simulator/shop">
<input name="secret" aria-label="Secret" placeholder="whsec_…" required autocomplete="off" spellcheck="false">
<button class="go">Use this secret</button>
</form>
</details>`;
}

function row(event: StoredEvent): Html {
  const { content, attempts, verdict, answer, number, id } = event;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const sequence = content.sequence === undefined ? '' : `#${content.sequence}`;
  return html`<details class="card event" data-id="${id ?? `unnamed ${number}`}" data-number="${number}">
<summary>
<span class="type">${content.type ?? 'not an event'} <span class="dim">${sequence}</span></span>
<span class="status">${content.status ?? ''}</span>
<span class="order">${content.invoiceId ?? ''} <span class="dim">${content.orderId ?? ''} ${content.message ?? ''}</span></span>
<span class="tries">${tries} → ${answer}</span>
${time(event)}
<span class="badge ${{ html: badges[verdict.kind] }}">${verdict.kind}</span>
</summary>
${facts(event)}
<pre>${event.bodyText}</pre>
</details>`;
}

const badges = { verified: 'good', 'not verified': 'bad', 'secret unknown': 'open' } as const;

function time({ receivedAt }: StoredEvent): Html {
  const iso = new Date(receivedAt).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(11, 19)} UTC</time>`;
}

function facts({ id, content, verdict, isChanged, receivedAt }: StoredEvent): Html {
  const entries = {
    'webhook-id': id === undefined ? 'missing' : cleanWord(id),
    Transaction: content.transactionId,
    Message: content.message,
    Occurred: content.occurredAt,
    Received: new Date(receivedAt).toISOString(),
    Signature: verdict.note,
    Warning: isChanged ? 'This attempt has another body than the one before.' : undefined,
  };
  const rows = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`],
  );
  return html`<dl>${rows}</dl>`;
}

const style = `
main.wide { max-width: 74rem; }
.choice { display: flex; flex-wrap: wrap; gap: .5rem; }
.choice button { flex: 1 1 6rem; width: auto; margin: 0; }
.choice button[aria-pressed=true] { background: var(--go); border-color: var(--go); color: var(--on-go); }
.card { margin-top: 1rem; border: 1px solid var(--line); border-radius: 12px; }
.card > summary { min-height: 2.75rem; padding: .65rem .9rem; border-radius: 12px; cursor: pointer; }
.card > :not(summary) { margin: 0 .9rem .9rem; }
.card pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .7rem .9rem; border-radius: 10px; background: var(--inset); }
.line { display: flex; gap: .5rem; } .line input { flex: 1; min-width: 0; } .line button { width: auto; margin: 0; white-space: nowrap; }
#events { display: grid; gap: .5rem; overflow-anchor: none; }
.event { min-width: 0; margin: 0; font-size: .875rem; }
.event > summary { display: grid; grid-template-columns: 13.5rem 6rem minmax(0, 1fr) 9.5rem 6rem 8rem; gap: .2rem .8rem; align-items: center; list-style: none; }
.event > summary:hover { background: var(--inset); }
.event > summary::-webkit-details-marker { display: none; }
.event > summary > * { overflow-wrap: anywhere; }
.type { font-weight: 650; } .type::before { content: '▸ '; color: var(--dim); } .event[open] .type::before { content: '▾ '; } .type .dim { font-weight: 400; }
.tries, time { color: var(--dim); font-variant-numeric: tabular-nums; }
.badge { justify-self: end; padding: .1rem .6rem; border: 1px solid currentColor; border-radius: 99px; font-size: .8rem; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem .8rem; } dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 60rem) {
  .event > summary { grid-template-columns: minmax(0, 1fr) auto; }
  .type { grid-area: 1 / 1; } .badge { grid-area: 1 / 2; } .order { grid-area: 2 / 1; } .status { grid-area: 2 / 2; justify-self: end; }
  .tries { grid-area: 3 / 1; } time { grid-area: 3 / 2; justify-self: end; }
}
@media (max-width: 40rem) { .line { flex-wrap: wrap; } .line input { flex-basis: 100%; } .line button { width: 100%; } }
`;
