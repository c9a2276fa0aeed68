/** Does the work for each entry, so many at a time. */
export async function inParallel<T>(
  concurrent: number,
  entries: readonly T[],
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const queue = [...entries];
  const take = async () => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await work(entry);
  };
  await Promise.all(Array.from({ length: concurrent }, take));
}
