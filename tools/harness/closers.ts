/** What was opened, to be closed in reverse order: once, whoever asks first. */

export type Closers = {
  /** Returns a function that closes this part before the others. */
  readonly add: (close: () => Promise<unknown>) => () => Promise<void>;
  readonly closeAll: () => Promise<void>;
};

export function createClosers(): Closers {
  const open: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeEach = async () => {
    for (let close = open.at(-1); close; close = open.at(-1)) await close();
  };
  return {
    add: (close) => {
      let ended: Promise<unknown> | undefined;
      const closeOnce = async () => {
        const place = open.indexOf(closeOnce);
        if (place >= 0) open.splice(place, 1);
        ended ??= close();
        await ended;
      };
      open.push(closeOnce);
      return closeOnce;
    },
    closeAll: () => {
      closing ??= closeEach();
      return closing;
    },
  };
}
