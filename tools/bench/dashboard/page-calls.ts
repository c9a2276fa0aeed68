/** The calls of the pages of the dashboard over HTTP, as a signed-in viewer of the shop makes them. */
import { runJsonCommand } from '../../harness/command-line.ts';
import type { Shop } from '../shop.ts';
import type { Question } from './questions.ts';

const password = 'a password of the bench';
const dayMs = 86_400_000;

export async function listPageCalls(
  url: string,
  { accountId, dataDir }: Shop,
  orderId: string,
): Promise<Question[]> {
  const cookie = await signInAs(url, { accountId, dataDir, role: 'viewer' });
  const get = async (path: string): Promise<string> => {
    const reply = await fetch(`${url}/dashboard/api${path}`, { headers: { cookie } });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    return text;
  };
  const first = async (path: string, list: string, id: string): Promise<string> => {
    const [found] =
      (JSON.parse(await get(path)) as Record<string, Record<string, string>[]>)[list] ?? [];
    return String(found?.[id]);
  };
  const delivery = await first('/inbox', 'deliveries', 'delivery_id');
  const event = await first('/events', 'events', 'event_id');
  const period = (days: number) =>
    `from=${daysAgo(days)}&to=${daysAgo(0)}&bucket=day&offset_minutes=330`;
  const paths = [
    ...[1, 31, 365].map((days) => `/overview?${period(days)}`),
    '/orders',
    '/orders?status=completed',
    '/orders?flag=amount_mismatch',
    '/filters',
    `/orders/${orderId}`,
    `/orders/${orderId}/why`,
    `/search?text=${orderId}`,
    '/review',
    '/inbox',
    '/inbox?state=processed',
    '/inbox?state=dead&provider=partner',
    `/inbox/${delivery}`,
    '/endpoints',
    '/events',
    '/events?state=undelivered',
    `/events/${event}`,
    '/settings',
    '/team',
    '/audit',
  ];
  return paths.map((path) => ({
    what: `GET ${path.replace(/T[^&]*Z/g, '')}`,
    ask: async () => `${(await get(path)).length} bytes`,
  }));
}

/** Returns the cookie of the session. */
export async function signInAs(
  url: string,
  { accountId, dataDir, role }: Record<'accountId' | 'dataDir' | 'role', string>,
): Promise<string> {
  // A kept database may have one of an earlier run.
  const email = `bench-${Date.now()}@shop.example`;
  const words = ['user', 'invite', accountId, '--email', email, '--role', role];
  const { link } = await runJsonCommand(words, { DATA_DIR: dataDir });
  const token = String(link).split('/').at(-1);
  const reply = await fetch(`${url}/dashboard/api/invitation/${token}/password`, {
    method: 'POST',
    headers: { origin: new URL(String(link)).origin, 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  });
  const [cookie = ''] = reply.headers.getSetCookie();
  if (!reply.ok) throw new Error(`the invitation was answered ${reply.status}`);
  return cookie.split(';')[0] ?? '';
}

function daysAgo(days: number): string {
  const hourMs = 3_600_000;
  return new Date(Math.ceil(Date.now() / hourMs) * hourMs - days * dayMs).toISOString();
}
