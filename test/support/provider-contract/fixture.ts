/** What a provider brings along to be held to the contract of all providers. */

export type Body = Record<string, unknown>;

export type ProviderFixture = {
  /** The header with which this provider proves that the bytes are its own. */
  readonly prove: (bytes: Buffer, secret: string) => Record<string, string>;
  readonly proofCoversBytes: boolean;
  /** The header that names a delivery, the same on every repeat. */
  readonly keyHeader: string;
  /** Bodies that give a notice. */
  readonly bodies: readonly Body[];
  /** Other forms than JSON in which the same body may come. */
  readonly otherForms: readonly ((body: Body) => string)[];
  /** Words of the provider or a bank that are shown. */
  readonly textPaths: readonly (readonly string[])[];
  /** Fields without which a body of this provider names nothing. */
  readonly idPaths: readonly (readonly string[])[];
};

/** How often a property is tried. */
export const runs = { numRuns: 2_000 };
