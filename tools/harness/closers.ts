/** What was opened, to be closed in reverse order: once, whoever asks first. */

export type Closers = ReturnType<typeof createClosers>;

export function createClosers() {
  const open: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeEach = async () => {
    for (let close = open.at(-1); close; close = open.at(-1)) await close();
  };
  return {
    /** Returns a function that closes this part before the others. */
    add: (close: () => Promise<unknown>) => {
      let ended: Promise<unknown> | undefined;
      const closeOnce = async () => {
        const index = open.indexOf(closeOnce);
        if (index >= 0) open.splice(index, 1);
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
