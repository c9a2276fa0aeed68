/** One step of a search through the rows of an account, newest first. See docs/decisions/0046. */

export type SearchRange = {
  /** Rows behind this one. */
  readonly before: string | undefined;
  /** At most so many rows are found. */
  readonly limit: number;
  /** At most so many are looked at. */
  readonly lookedAtMax: number;
};

export type FoundRows = {
  /** Newest first. */
  readonly ids: readonly string[];
  readonly lookedAt: number;
  /** Where the next search continues; undefined if all were looked at. */
  readonly next: string | undefined;
};
