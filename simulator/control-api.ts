/** The control API of the simulator: its page, scenarios, shops and ledger. */
import type { FastifyInstance } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { isScenarioName } from './behaviours.ts';
import type { CallCount } from './call-counts.ts';
import { controlPage } from './control-page.ts';
import { pageHeaders } from './html.ts';
import type { Scenario } from './scenario.ts';
import type { Shop } from './shops.ts';
import { invalidInput, object, text, type Wire } from './wire.ts';
import type { LedgerDispute, LedgerPayment, LedgerRefund, World } from './world.ts';

export type Ledger = {
  readonly payments: LedgerPayment[];
  readonly refunds: LedgerRefund[];
  readonly disputes: LedgerDispute[];
};

const { version } = packageJson;

export function addControlApi(
  app: FastifyInstance,
  world: World,
  { ledger, calls }: { readonly ledger: () => Ledger; readonly calls: () => CallCount[] },
  lines: readonly string[],
): void {
  app.get('/', async (_request, reply) => {
    const view = { scenario: world.scenarios.current(), lines, ...ledger() };
    return reply.headers(pageHeaders).send(controlPage(view));
  });

  // The service asks for it, so that it trusts no other program that listens here.
  app.get('/simulator', async () => ({ name: 'payment-order-simulator', version }));

  app.get('/simulator/ledger', async () => ledger());

  app.get('/simulator/calls', async () => calls());

  app.post('/simulator/scenario', async (request, reply) => {
    const body = object(request.body);
    const scenario = readScenario(body);
    const reference = text(body.reference);
    if (reference) world.scenarios.setFor(reference, scenario);
    else world.scenarios.set(scenario);
    world.log(`scenario: ${scenario.name} for ${reference ?? 'everything from now on'}`);
    const isForm = request.headers['content-type']?.includes('form') ?? false;
    return isForm ? reply.redirect('/', 303) : { scenario, ...(reference && { reference }) };
  });

  app.post('/simulator/shops', async (request, reply) => {
    const shop = readShop(object(request.body));
    world.shops.register(shop);
    return reply.code(201).send({ registered: Object.keys(shop) });
  });
}

function readScenario(body: Wire): Scenario {
  const { scenario: name } = body;
  if (!isScenarioName(name)) throw invalidInput('scenario must be the name of a scenario.');
  const reason = text(body.reason);
  return { name, ...(reason && { reason }) };
}

function readShop(body: Wire): Shop {
  const partner = readFields(body, 'partner', ['keyId', 'keySecret']);
  const gateway = readFields(body, 'gateway', ['merchantId', 'password']);
  if (!partner && !gateway) throw invalidInput('Give partner, gateway or both.');
  const { webhookForm } = object(body.gateway);
  const isForm = webhookForm === 'json' || webhookForm === 'form';
  return {
    ...(partner && { partner }),
    ...(gateway && { gateway: { ...gateway, ...(isForm && { webhookForm }) } }),
  };
}

function readFields<Name extends string>(
  body: Wire,
  provider: string,
  names: readonly Name[],
): Record<Name | 'webhookUrl' | 'webhookSecret', string> | undefined {
  if (body[provider] === undefined) return undefined;
  const given = object(body[provider]);
  const fields = [...names, 'webhookUrl', 'webhookSecret'].map((name) => {
    const value = text(given[name]);
    if (!value) throw invalidInput(`${provider}.${name} is missing.`);
    return [name, value] as const;
  });
  return Object.fromEntries(fields) as Record<Name | 'webhookUrl' | 'webhookSecret', string>;
}
