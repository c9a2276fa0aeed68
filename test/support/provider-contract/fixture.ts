/** The data that a provider supplies for the contract tests. */

export type Body = Record<string, unknown>;

export type ProviderFixture = {
  /** The header that authenticates the provider's bytes. */
  readonly prove: (bytes: Buffer, secret: string) => Record<string, string>;
  readonly proofCoversBytes: boolean;
  /** The header that identifies a delivery, the same on every repeat. */
  readonly keyHeader: string;
  /** Bodies that translate to a notice. */
  readonly bodies: readonly Body[];
  /** Other encodings than JSON of the same body. */
  readonly otherForms: readonly ((body: Body) => string)[];
  /** Texts of the provider or a bank that are shown. */
  readonly textPaths: readonly (readonly string[])[];
  /** Fields without which a body refers to nothing. */
  readonly idPaths: readonly (readonly string[])[];
};

/** Runs of each property. */
export const runs = { numRuns: 2_000 };
