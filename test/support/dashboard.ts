/** Browsers at the API of the dashboard, each with its cookie, and users who join an account. */
import assert from 'node:assert/strict';
import { commandLine } from '../../src/domain/audit.ts';
import { randomBase62 } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/users/role.ts';
import { inviteUser } from '../../src/use-cases/users/invite-user.ts';
import type { Reply, TestService } from './test-service.ts';

export const origin = 'http://service.test';
export const password = 'correct horse battery';

export type Browser = ReturnType<typeof openBrowser>;

type BrowserCall = {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

let opened = 0;

export function openBrowser(service: TestService, cookie?: string) {
  let own = cookie;
  let device: string | undefined;
  opened += 1;
  const address = `198.18.${opened >> 8}.${opened & 255}`;
  const call = async (path: string, { headers = {}, ...rest }: BrowserCall = {}) => {
    const reply = await service.call(`/dashboard/api${path}`, {
      ...rest,
      headers: {
        'x-forwarded-for': address,
        cookie: `${own === undefined ? '' : `session=${own}; `}device=${device ?? ''}`,
        ...headers,
      },
    });
    const set = /^session=([^;]*);/.exec(reply.headers.get('set-cookie') ?? '');
    if (set) own = set[1] === '' ? undefined : set[1];
    device = /\bdevice=([\w-]+);/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? device;
    return reply;
  };
  // A service that providers call has a real address.
  const { publicUrl } = service.services.settings;
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    call(path, { method, body, headers: { origin: publicUrl, ...headers } });
  return {
    /** Each browser has its own, as a proxy would report it: visitors of one address are limited. */
    address,
    call,
    send,
    get: (path: string) => call(path),
    /** Sends JSON from a page of the service. */
    post: (path: string, body?: unknown) => send('POST', path, body),
    /** The value of the session cookie. */
    cookie: () => own,
    /** The value of the cookie by which a device is known after a sign-in. */
    device: () => device,
  };
}

export function newEmail(): string {
  return `${randomBase62(10).toLowerCase()}@team.example`;
}

/** Returns the token of the link. */
export async function invite(
  service: TestService,
  accountId: string,
  role: Role,
  email: string,
): Promise<string> {
  const { link } = await inviteUser(service.services, commandLine, { accountId, email, role });
  return link.slice(link.lastIndexOf('/') + 1);
}

export type Person = Browser & { readonly email: string; readonly userId: string };

/** A new user who set a password and is signed in. */
export async function join(service: TestService, accountId: string, role: Role): Promise<Person> {
  const email = newEmail();
  const token = await invite(service, accountId, role, email);
  const browser = openBrowser(service);
  const { status, body } = await browser.post(`/invitation/${token}/password`, { password });
  assert.equal(status, 200, JSON.stringify(body));
  return { ...browser, email, userId: body.user.user_id };
}

export function codeOf({ status, body }: Reply): [status: number, code: string | undefined] {
  return [status, body?.error?.svc_error_code];
}
