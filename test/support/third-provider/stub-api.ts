/** A stub of Acme Pay: an HTTP API with charges and returns, and signed deliveries. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { hmacHex } from '../../../src/security/hmac.ts';
import { startLocalServer } from '../../../tools/harness/local-server.ts';
import { answerWith } from '../stub-gateway.ts';
import { callService, type Reply } from '../test-service.ts';

type Json = Record<string, unknown>;

export type StubCharge = {
  readonly charge: Json;
  readonly store: unknown;
  readonly returns: Json[];
};

/** Sends the current state of a charge or a return as a signed delivery. */
export function deliver(url: string, secret: string, event: string, body: Json): Promise<Reply> {
  const bytes = JSON.stringify(body);
  const { origin, pathname } = new URL(url);
  const headers = {
    'x-acme-event': event,
    'x-acme-signature': hmacHex(secret, Buffer.from(bytes)),
  };
  return callService(origin, pathname, { body: bytes, headers });
}

export async function startStubApi(now: () => Date) {
  const charges = new Map<string, StubCharge>();
  const calls: { line: string; user: string; body: Json }[] = [];
  const seconds = () => Math.floor(now().getTime() / 1000);
  const chargeOf = (reference: string) => charges.get(reference) ?? assert.fail(reference);

  const startCharge = (reference: string, body: Json) => {
    const known = charges.get(reference);
    const charge = {
      id: `ch_${charges.size + 1}`,
      reference,
      state: 'open',
      created: seconds(),
      cents: body.cents,
      currency: body.currency,
    };
    if (!known) charges.set(reference, { charge, store: body.store, returns: [] });
    return { page: `https://pay.acme.example/${(known?.charge ?? charge).id}` };
  };
  const startReturn = (chargeId: string, callId: string, body: Json) => {
    const found = [...charges.values()].find(({ charge }) => charge.id === chargeId);
    const { charge, store, returns } = found ?? assert.fail(chargeId);
    const made = {
      id: callId,
      charge: chargeId,
      state: 'open',
      created: seconds(),
      ...body,
      currency: charge.currency,
    };
    if (!returns.some((entry) => entry.id === callId)) returns.push(made);
    return { store, return: made };
  };
  const answer = (line: string, body: Json): Json | undefined => {
    const [, reference] = /^PUT \/charges\/by-reference\/([^/]+)$/.exec(line) ?? [];
    if (reference !== undefined) return startCharge(reference, body);
    const [, chargeId, callId] = /^PUT \/charges\/([^/]+)\/returns\/([^/]+)$/.exec(line) ?? [];
    if (chargeId !== undefined) return startReturn(chargeId, callId ?? '', body);
    const [, name] = /^GET \/charges\/(?:by-reference\/)?([^/]+)$/.exec(line) ?? [];
    const found = [...charges].find(([known, { charge }]) => known === name || charge.id === name);
    return found && { ...found[1], at: seconds() };
  };

  const { url, close } = await startLocalServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    const line = `${request.method} ${request.url}`;
    const credentials = (request.headers.authorization ?? '').replace('Basic ', '');
    calls.push({ line, user: Buffer.from(credentials, 'base64').toString('utf8'), body });
    const reply = answer(line, body);
    answerWith(response, reply ? 200 : 404, reply ?? { error: 'unknown' });
  });
  after(close);
  return {
    url,
    /** Every call with its credentials. */
    calls,
    chargeOf,
    /** Pays as the consumer would on Acme Pay's page. */
    pay: (reference: string) => {
      const paid = chargeOf(reference);
      paid.charge.state = 'paid';
      return paid;
    },
  };
}
