/** Creates an account that uses the simulator, with the same CLI commands as an operator. */
import assert from 'node:assert/strict';
import type { Simulator } from '../../simulator/simulator.ts';
import { runCommand } from '../../tools/harness/command-line.ts';
import { modeOf, type SimulatedProvider } from './journey.ts';
import type { ServiceProcess } from './service-process.ts';

export type SimulatedAccount = {
  readonly account_id: string;
  readonly access_key: string;
  readonly access_secret: string;
};

/** The name makes the account's logins at the providers unique. */
export async function openSimulatedAccount(
  simulator: Simulator,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<SimulatedAccount> {
  const { url } = simulator;
  const partner = { keyId: `rzp_test_${name}`, keySecret: `${name}_key_secret` };
  const gateway = { merchantId: `SIM${name.toUpperCase()}`, password: `${name}_pw` };
  const { code, stdout, stderr } = await runCommand(
    [
      'account',
      'create',
      '--name',
      name,
      '--json',
      '--partner-url',
      url,
      '--partner-key-id',
      partner.keyId,
      '--partner-key-secret',
      partner.keySecret,
      '--bank-gateway-url',
      url,
      '--bank-gateway-merchant',
      gateway.merchantId,
      '--bank-gateway-password',
      gateway.password,
      '--payment-mode',
      'credit_card:bank-gateway',
    ],
    env,
  );
  assert.equal(code, 0, stderr);
  const created = JSON.parse(stdout);
  simulator.register({
    partner: {
      ...partner,
      webhookUrl: created.partner_webhook_url,
      webhookSecret: created.partner_webhook_secret,
    },
    gateway: {
      ...gateway,
      webhookUrl: created.bank_gateway_webhook_url,
      webhookSecret: created.bank_gateway_secret,
    },
  });
  return created;
}

/** A merchant token of the account. */
export async function signIn(service: ServiceProcess, account: SimulatedAccount): Promise<string> {
  const { access_key, access_secret } = account;
  const reply = await service.call('/api/v3/generate-token', {
    body: { access_key, access_secret },
  });
  return reply.body.token;
}

/** The body that starts a payment at this provider. */
export function paymentBody(orderId: string, provider: SimulatedProvider): object {
  const choice = provider === 'partner' && { upi_id: 'asha@okbank' };
  return { order_id: orderId, payment_mode_code: modeOf[provider], ...choice };
}
