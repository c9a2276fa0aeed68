/**
 * `GET /pay/<account_id>/<transaction_id>`: sends the consumer on to a provider whose payment page is
 * reached by posting a form. It shows nothing but a button, should scripts be off.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { findLaunch, type Launch } from '../use-cases/find-launch.ts';
import type { Services } from '../use-cases/services.ts';
import { watchRoutes } from './refuse-other-methods.ts';

type Params = { readonly account_id: string; readonly transaction_id: string };

export function launchPage(services: Services): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.get<{ Params: Params }>('/pay/:account_id/:transaction_id', {
      schema: { hide: true },
      handler: async ({ params }, reply) => {
        const launch = await findLaunch(services, params.account_id, params.transaction_id);
        return sendPage(reply, launch);
      },
    });
    refuseOtherMethods();
  };
}

function sendPage(reply: FastifyReply, launch: Launch): FastifyReply {
  reply.header('referrer-policy', 'no-referrer');
  switch (launch.kind) {
    case 'form':
      return sendForm(reply, launch);
    case 'over': {
      const back = launch.returnUrl;
      const link = back === undefined ? '' : `<a href="${escapeHtml(back)}">Back to the shop</a>`;
      return sendHtml(reply.code(410), `<p>This payment is over.</p>${link}`);
    }
    case 'unknown':
      return sendHtml(reply.code(404), '<p>There is no such payment.</p>');
    default:
      return launch satisfies never;
  }
}

function sendForm(reply: FastifyReply, launch: Extract<Launch, { kind: 'form' }>): FastifyReply {
  const { action, fields } = launch.form;
  const nonce = randomBytes(16).toString('base64');
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return sendHtml(
    reply,
    `<p>${escapeHtml(launch.shopName)}: you are taken to the payment page.</p>
<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<button>Continue</button></form>
<script nonce="${nonce}">document.forms[0].submit()</script>`,
    `script-src 'nonce-${nonce}'`,
  );
}

const style = `body{font:1.1rem system-ui;margin:20vh auto;max-width:24rem;text-align:center}
button{font:inherit;padding:.6rem 2rem}`;

function sendHtml(
  reply: FastifyReply,
  content: string,
  policy = "script-src 'none'",
): FastifyReply {
  // Whatever stands in the page, it can load nothing and be framed by nobody.
  const rules = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; ${policy}`;
  return reply
    .header('content-security-policy', rules)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Payment</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body>${content}</body></html>`);
}

/** Text in HTML, also between quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
