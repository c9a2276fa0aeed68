/** Acts as a consumer without a browser: follows the pages from the shop to the provider and presses a button. */
import { setTimeout as delay } from 'node:timers/promises';
import { readForm, unescapeHtml } from '../harness/plain-browser.ts';

type Button = 'pay' | 'decline' | 'cancel';

/** The last URL that the consumer reached, and its page. */
type Visit = { readonly url: string; readonly page: string };

export async function payAtPage(url: string, button: Button = 'pay'): Promise<Visit> {
  let visit = await open(url);
  // Pages in between have a form or a link that leads on by itself.
  while (!visit.page.includes('name="action"')) {
    const next = await goOn(visit);
    if (!next) return visit;
    visit = next;
  }
  const form = findForm(visit);
  if (!form) throw new Error(`the page at ${visit.url} has no form`);
  return post(form.action, { action: button });
}

async function goOn(visit: Visit): Promise<Visit | undefined> {
  const link = /<a [^>]*href="([^"]*)"[^>]* data-forward/.exec(visit.page)?.[1];
  if (link !== undefined) return open(new URL(unescapeHtml(link), visit.url).href);
  const form = findForm(visit);
  return form && post(form.action, form.fields);
}

/** Reloads a page that is temporarily unavailable. */
async function open(url: string): Promise<Visit> {
  for (let loads = 1; ; loads += 1) {
    const response = await fetch(url).catch(() => undefined);
    const page = await response?.text().catch(() => undefined);
    if (response && response.status < 500 && page !== undefined) return { url: response.url, page };
    if (loads === loadsMax) throw new Error(`the page at ${url} is away`);
    await delay(100);
  }
}

const loadsMax = 300;

async function post(url: string, fields: Record<string, string>): Promise<Visit> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  const landedAt = response.headers.get('location') ?? url;
  return { url: landedAt, page: await response.text() };
}

function findForm({ url, page }: Visit) {
  const form = readForm(page);
  return form && { ...form, action: new URL(form.action, url).href };
}
