/** Parses the capture settings of an order, and refuses what the partner would refuse. */
import { object, type Wire } from '../wire.ts';
import { badRequest } from './refusals.ts';

export type CaptureSettings = {
  readonly mode: 'automatic' | 'manual';
  /** How long a payment that is not captured stays authorized. */
  readonly holdMinutes: number;
};

const automaticMinutesMin = 12;
export const manualMinutesMax = 7_200;

/** Undefined without settings; the settings of the shop's account then apply. */
export function readCapture(body: Wire): CaptureSettings | undefined {
  if (body.payment === undefined) return undefined;
  const { capture, capture_options: options } = object(body.payment);
  if (capture !== 'automatic' && capture !== 'manual') throw invalid('capture');
  if (options !== undefined) checkOptions(object(options));
  const { manual_expiry_period: manual = manualMinutesMax } = object(options);
  return { mode: capture, holdMinutes: Number(manual) };
}

function checkOptions(options: Wire): void {
  const { automatic_expiry_period: automatic, manual_expiry_period: manual } = options;
  const { refund_speed: speed } = options;
  if (automatic !== undefined && !isWhole(automatic, automaticMinutesMin, manualMinutesMax)) {
    throw invalid('capture_options.automatic_expiry_period');
  }
  // Manual capture must not expire before automatic capture.
  const manualMin = typeof automatic === 'number' ? automatic : automaticMinutesMin;
  if (manual !== undefined && !isWhole(manual, manualMin, manualMinutesMax)) {
    throw invalid('capture_options.manual_expiry_period');
  }
  if (speed !== undefined && speed !== 'normal' && speed !== 'optimum') {
    throw invalid('capture_options.refund_speed');
  }
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function invalid(name: string) {
  const field = `payment.${name}`;
  return badRequest(`The selected ${field} is invalid.`, field);
}
