/** What the API reference says about a route. In its config, it never reaches validators and serialisers. */
import type { TSchema } from 'typebox';
import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { Access } from '../guard.ts';
import type { Schema } from './model.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    documentation?: Documentation;
  }
}

export type Documentation = {
  readonly replyDescription: string;
  /** In addition to the codes that follow from the route's access. */
  readonly errors?: readonly ErrorCode[];
  /** A JSON file with recorded calls. See `Examples`. */
  readonly examples: URL;
  /** Loads what replaces the validated body in the reference. */
  readonly loadBody?: () => Promise<TSchema>;
  /** The body is also accepted as form data with dotted names. */
  readonly acceptsFormData?: boolean;
  /** A repeated request gets the first reply with the header `Idempotent-Replayed`. */
  readonly replays?: boolean;
  /** The same operation under other methods and paths, such as `PUT /api/v3/update-order`. */
  readonly aliases?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  /** Headers that the caller may send, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The proofs that are accepted, one of them; those of the route's access unless given. */
  readonly security?: readonly object[];
  /** The shape of error bodies; that of the merchant API unless given. */
  readonly errorShape?: ErrorShape;
};

export type ErrorShape = {
  /** Distinguishes the examples of this shape from those of others. */
  readonly prefix: string;
  readonly schemaOf: (status: number) => TSchema;
  readonly bodyOf: (error: ServiceError) => unknown;
};

export type DocumentedRoute = {
  readonly access: Access | undefined;
  readonly documentation: Documentation;
  readonly examples: Examples;
  /** What replaces the validated body. */
  readonly body: Schema | undefined;
};

type Example = { readonly summary: string; readonly value: unknown };
type NamedExamples = Readonly<Record<string, Example>>;

/** Calls that were recorded from the running service. */
export type Examples = {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly requests?: NamedExamples;
  readonly formData?: NamedExamples;
  /** By status. */
  readonly replies: Readonly<Record<string, NamedExamples>>;
  /** By code; codes that are not listed get the text of the error table. */
  readonly errors?: Readonly<Record<string, unknown>>;
};
