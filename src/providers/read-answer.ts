/** Reads the answer of a provider to one try of a call, and tells an answer from what says nothing about the call. */
import { paymentLimits } from '../domain/payments/limits.ts';
import { jsonObject, object, text, type WireObject } from './wire.ts';

export type HttpAnswer = { readonly status: number; readonly body: AsyncIterable<Uint8Array> };

type CallErrorFields = {
  /** It may have taken effect. */
  readonly wasSent: boolean;
  readonly status?: number;
  /** The deadline of all tries has passed. */
  readonly isLate?: boolean;
  /** False if the provider was not even called. */
  readonly wasTried?: boolean;
};

/** A try without a usable answer. */
export class CallError extends Error {
  readonly wasSent: boolean;
  readonly status: number | null;
  readonly isLate: boolean;
  readonly wasTried: boolean;

  constructor(message: string, fields: CallErrorFields) {
    super(message);
    const { wasSent, status = null, isLate = false, wasTried = true } = fields;
    this.wasSent = wasSent;
    this.status = status;
    this.isLate = isLate;
    this.wasTried = wasTried;
  }
}

/** These do not say whether the call took effect: overload, or an earlier copy that is still in progress. */
const undecidedStatuses = new Set([408, 409, 425]);

export async function readAnswer(answer: HttpAnswer): Promise<{
  readonly status: number;
  readonly body: WireObject;
}> {
  const { status } = answer;
  const bytes = await readBytes(answer);
  if (status >= 500 || undecidedStatuses.has(status)) {
    const fields = { wasSent: true, status };
    throw new CallError(`the provider answered with HTTP status ${status}`, fields);
  }
  const body = jsonObject(bytes);
  // A rate limit means "later": the provider has not looked at the call.
  if (status === 429 || (status === 400 && body && saysTooMany(body))) {
    throw new CallError('the provider limits the rate of calls', { wasSent: false, status });
  }
  // An answer that is not JSON comes from a proxy in between and says nothing about the call.
  if (!body) {
    throw new CallError('the provider answered without a JSON object', { wasSent: true, status });
  }
  return { status, body };
}

/** The partner also says it with status 400. */
function saysTooMany(body: WireObject): boolean {
  const { code, description } = object(body.error);
  const words = text(description) ?? '';
  return text(code) === 'RATE_LIMIT_EXCEEDED' || /too many requests/i.test(words);
}

async function readBytes({ status, body }: HttpAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > paymentLimits.providerAnswerBytesMax) {
      throw new CallError('the answer of the provider is too large', { wasSent: true, status });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
