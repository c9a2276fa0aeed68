/** A reason why the process cannot start, in one sentence for the operator. */
export class StartError extends Error {
  constructor(sentence: string, options?: { cause?: unknown }) {
    super(sentence, options);
    this.name = 'StartError';
  }
}
