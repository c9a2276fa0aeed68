/** Visits our return page like a consumer, and reads the result that the shop receives. */
import assert from 'node:assert/strict';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { readLaunchForm } from './journey.ts';

export type Visit = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | null;
};

// biome-ignore lint/suspicious/noExplicitAny: the payload is asserted field by field
export type ReturnedPayload = any;

export async function visit(url: string, init: RequestInit = {}): Promise<Visit> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const { status, headers } = response;
  return { status, headers, text: await response.text(), location: headers.get('location') };
}

/** The URL that the waiting page loads next. */
export function nextLookOf({ text }: Visit, url: string): string {
  const [, next = ''] = /http-equiv="refresh" content="\d+; url=([^"]+)"/.exec(text) ?? [];
  assert.notEqual(next, '', text);
  return new URL(next.replaceAll('&#38;', '&'), url).href;
}

/** Reloads like the page itself until it stops waiting. */
export async function awaitResult(url: string): Promise<Visit> {
  let last = await visit(url);
  await waitUntil('the result is there', async () => {
    if (last.status !== 202) return true;
    last = await visit(nextLookOf(last, url));
    return last.status !== 202;
  });
  return last;
}

/** The result in the redirect or the form to the shop. */
export function payloadOf({ location, text }: Visit): ReturnedPayload {
  const response =
    location === null
      ? readLaunchForm(text).fields.response
      : new URL(location).searchParams.get('response');
  const json = Buffer.from(response ?? '', 'base64').toString('utf8');
  assert.equal(Buffer.from(json).toString('base64'), response, 'plain base64');
  const { payload, ...others } = JSON.parse(json);
  assert.deepEqual(others, { event_type: 'globalHandleCheckoutResponse' });
  return payload;
}
