/** Finds the word that was probably meant by a mistyped one. */

/** Undefined if no known word is close. */
export function findClosest(word: string, known: readonly string[]): string | undefined {
  let closest: string | undefined;
  // A third of the letters may be wrong: more would suggest words that nobody meant.
  let least = Math.floor(word.length / 3) + 1;
  for (const candidate of known) {
    const distance = countEdits(word, candidate);
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

/** Letters to insert, delete, replace or swap with their neighbour. */
function countEdits(from: string, to: string): number {
  let [twoAbove, above]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row += 1) {
    const edits = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwap = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      edits[at] = Math.min(
        (edits[at - 1] ?? 0) + 1,
        (above?.[at] ?? 0) + 1,
        (above?.[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (twoAbove?.[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [twoAbove, above] = [above ?? [], edits];
  }
  return above?.[to.length] ?? 0;
}
