/** What a linter reports about the OpenAPI document. */
export type Problem = {
  readonly linter: 'redocly' | 'spectral';
  readonly rule: string;
  readonly severity: string;
  /** Where in the document, as a path. */
  readonly at: string;
  readonly message: string;
};
