/** Whether an event comes from the service, by the library that merchants use. */
import { UntrustedDataError, verifyWebhook } from '../../client/client.js';

export type Verdict =
  | { readonly kind: 'verified'; readonly note?: string }
  | { readonly kind: 'not verified'; readonly note: string }
  | { readonly kind: 'secret unknown'; readonly note?: string };

export type SignedRequest = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

export type Secrets = {
  readonly endpoints: readonly string[];
  /** Of accounts that encrypt their payloads. */
  readonly accounts: readonly string[];
};

const toleranceSeconds = 300;

/** The event is undefined if it could not be read. A request that is checked later may be older by `waitedMs`. */
export async function checkEvent(
  { headers, body }: SignedRequest,
  { endpoints, accounts }: Secrets,
  waitedMs = 0,
): Promise<{ readonly verdict: Verdict; readonly event?: unknown }> {
  if (endpoints.length === 0) return { verdict: { kind: 'secret unknown' } };
  try {
    const event = await verifyWebhook({
      headers,
      body,
      secret: endpoints,
      toleranceSeconds: toleranceSeconds + Math.ceil(waitedMs / 1000),
      // One that opens nothing, so that the signature of an encrypted event is checked in any case.
      accessSecret: accounts.length === 0 ? 'access_secret_unknown' : accounts,
    });
    return { verdict: { kind: 'verified' }, event };
  } catch (error) {
    if (!(error instanceof UntrustedDataError)) throw error;
    const note = error.message;
    // The signature was checked before the body was read.
    if (error.code === 'INVALID_EVENT') return { verdict: { kind: 'verified', note } };
    return { verdict: { kind: 'not verified', note } };
  }
}

const base64 = '(?:[A-Za-z0-9+/]{4}){8,100}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?';

export function isEndpointSecret(secret: string): boolean {
  return new RegExp(`^whsec_${base64}$`).test(secret);
}

export function isAccessSecret(secret: string): boolean {
  return /^access_secret_\w{1,200}$/.test(secret);
}
