/** The parts of an OpenAPI document that are completed here. */
export type Schema = { readonly [keyword: string]: unknown };

export type Media = {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, unknown>>;
};
export type Content = Readonly<Record<string, Media>>;

export type Response = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
};

export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly object[];
};

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export type OpenApi = {
  readonly paths: Paths;
  /** What the service sends to shops, by the type of the event. */
  readonly webhooks: Paths;
  readonly components: Readonly<Record<string, object>>;
  readonly [name: string]: unknown;
};
