/** Parses the requests of a shop, and refuses what the gateway would refuse. */
import { isCurrency, minorOf } from '../money.ts';
import { isWebAddress, object, text, type Wire } from '../wire.ts';
import type { OperationRequest } from './operations.ts';
import { invalidField } from './refusals.ts';
import type { GatewaySession } from './state.ts';

/** The gateway's own limits. */
const idCharsMax = 40;
const merchantNameCharsMax = 40;
const descriptionCharsMax = 127;

type WishedSession = Omit<GatewaySession, 'id' | 'merchantId' | 'apiVersion' | 'successIndicator'>;

export function readSession(body: Wire): WishedSession {
  const interaction = object(body.interaction);
  const order = object(body.order);
  if (body.apiOperation !== 'INITIATE_CHECKOUT') throw invalidField('apiOperation');
  if (interaction.operation !== 'PURCHASE' && interaction.operation !== 'AUTHORIZE') {
    throw invalidField('interaction.operation');
  }
  const { currency, notificationUrl } = order;
  const { returnUrl } = interaction;
  const orderId = readId(order.id, 'order.id');
  if (!isCurrency(currency)) throw invalidField('order.currency');
  return {
    orderId,
    amount: readAmount(order.amount, currency, 'order.amount'),
    currency,
    reference: text(order.reference),
    description: readText(order.description, 'order.description', descriptionCharsMax),
    notificationUrl: isWebAddress(notificationUrl) ? notificationUrl : undefined,
    returnUrl: isWebAddress(returnUrl) ? returnUrl : undefined,
    isHeld: interaction.operation === 'AUTHORIZE',
    shopName: readText(
      object(interaction.merchant).name,
      'interaction.merchant.name',
      merchantNameCharsMax,
    ),
  };
}

export function readOperation(id: string, body: Wire): OperationRequest {
  const { apiOperation } = body;
  const transaction = object(body.transaction);
  const fields = {
    id: readId(id, 'transaction.id'),
    reference: text(transaction.reference),
    targetTransactionId: text(transaction.targetTransactionId),
    request: JSON.stringify(body),
  };
  if (apiOperation === 'VOID') return { ...fields, apiOperation };
  if (apiOperation !== 'REFUND' && apiOperation !== 'CAPTURE') throw invalidField('apiOperation');
  const { currency } = transaction;
  if (!isCurrency(currency)) throw invalidField('transaction.currency');
  const amount = readAmount(transaction.amount, currency, 'transaction.amount');
  return { ...fields, apiOperation, amount, currency };
}

function readId(value: unknown, field: string): string {
  const id = readText(value, field, idCharsMax);
  if (!id) throw invalidField(field);
  return id;
}

function readText(value: unknown, field: string, charsMax: number): string | undefined {
  const given = text(value);
  if (given && [...given].length > charsMax) {
    throw invalidField(field, `Value of ${field} is longer than ${charsMax} characters.`);
  }
  return given;
}

function readAmount(value: unknown, currency: string, field: string): number {
  const amount = minorOf(value, currency);
  if (!amount) throw invalidField(field);
  return amount;
}
