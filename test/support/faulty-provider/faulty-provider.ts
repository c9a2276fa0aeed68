/**
 * Both providers as they are on a bad day: they execute calls and lose the answers, limit rates in every way that they
 * have, lag behind with their lists, refuse connections and change their minds. The simulator plays them; the seed
 * decides what goes wrong for each order, and the money that really moved is in `moved`.
 */
import { after } from 'node:test';
import { type Random, randomOf } from '../../../simulator/random.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import { openFaultPlan, scenarioOf } from './fault-plan.ts';
import { openPostOffice } from './post-office.ts';
import { type ClosableProxy, openProxy } from './proxy.ts';
import { openVirtualSchedule } from './virtual-schedule.ts';

export type FaultyProvider = Awaited<ReturnType<typeof startFaultyProvider>>;

export async function startFaultyProvider(seed: number, now: () => number) {
  const names = new Map<string, string>();
  const randoms = new Map<string, Random>();
  const nameIn = (text: string) => names.get(/o_[0-9A-Za-z]{16}/.exec(text)?.[0] ?? '');
  const randomOfWebhooks = (name: string) => {
    const random = randoms.get(name) ?? randomOf(seed, `${name} webhooks`);
    randoms.set(name, random);
    return random;
  };
  const plan = openFaultPlan(seed, nameIn);
  const schedule = openVirtualSchedule(now);
  const webhooks = openPostOffice(now, ({ body }) => randomOfWebhooks(nameIn(body) ?? ''));
  const { faultOf, lagMsOf } = plan;
  const simulator = await startSimulator({ seed, now, schedule, webhooks, faultOf, lagMsOf });
  const proxies: ClosableProxy[] = [];
  after(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await simulator.close();
  });
  return {
    simulator,
    /** From now on things go wrong for this order of ours. The name and the seed decide which. */
    spoil: (orderId: string, name: string) => {
      names.set(orderId, name);
      const scenario = scenarioOf(seed, name);
      simulator.setScenarioFor(orderId, scenario);
      return scenario;
    },
    /** Refunds at the provider's own pages. If it is silent, later webhooks about the payment have the sum only. */
    refundElsewhere: (paymentId: string, amount: number, isSilent: boolean) => {
      const refund = () => simulator.refundElsewhere(paymentId, amount);
      return isSilent ? webhooks.silence(paymentId, refund) : refund();
    },
    wasRefused: plan.wasRefused,
    /** Another address of the providers, which can refuse connections. */
    openProxy: async () => {
      const proxy = await openProxy(simulator.url);
      proxies.push(proxy);
      return proxy;
    },
    runDue: schedule.runDue,
    deliverDue: webhooks.deliverDue,
    /** Calls go wrong no more. Webhooks that are on their way still arrive late. */
    calmDown: plan.end,
  };
}
