/** The gateway's notifications: JSON or form data, the shared secret in a header, retries over three days. */
import { idOf, pick, randomOf } from '../random.ts';
import type { GatewayShop } from '../shops.ts';
import type { Webhook } from '../webhook-sender.ts';
import type { World } from '../world.ts';
import { transactionBody } from './records.ts';
import type { GatewayOrder, GatewayTransaction } from './state.ts';

/** Thirteen attempts over three days. */
const ladderSeconds = [
  5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 86_400,
];
const answerWithinMs = 10_000;

export function gatewayNotification(
  world: World,
  shop: GatewayShop,
  order: GatewayOrder,
  transaction: GatewayTransaction,
): Webhook {
  const name = `${shop.merchantId}:${order.id}:${transaction.id}`;
  const { type, result, timeOfLastUpdate } = transaction;
  const id = idOf(world.seed, `notification:${name}:${result}:${timeOfLastUpdate}`, 32);
  const form = shop.webhookForm ?? pick(randomOf(world.seed, `form:${name}`), ['json', 'form']);
  const content = transactionBody(order, transaction);
  return {
    id,
    label: `${type} ${result} ${order.id}|${transaction.id} (${form})`,
    url: order.notificationUrl ?? shop.webhookUrl,
    body: form === 'json' ? JSON.stringify(content) : formData(content),
    answerWithinMs,
    ladderSeconds,
    headers: (attempt, isForged) => ({
      'content-type': form === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-notification-secret': isForged ? 'another secret' : shop.webhookSecret,
      'x-notification-id': id,
      'x-notification-attempt': String(attempt),
    }),
  };
}

/** Field names with dots, and indexes in brackets for lists: `risk.response.rule[0].name`. */
function formData(content: object): string {
  const pairs = new URLSearchParams();
  append('', content);
  return pairs.toString();

  function append(name: string, value: unknown): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) append(`${name}[${index}]`, item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, inner] of Object.entries(value)) {
        append(name === '' ? field : `${name}.${field}`, inner);
      }
    } else pairs.append(name, String(value));
  }
}
