/**
 * Many lives on one clock. A life is a generator: it yields the time at which it goes on. One life at a time is awake, so
 * the same lives always meet each other in the same order.
 */
import type { PastClock } from '../../harness/past-clock.ts';

export type Life = AsyncGenerator<Date, void, void>;

type World = {
  readonly clock: PastClock;
  /** Waits for what a life has caused, before the next one wakes. */
  readonly settle: () => Promise<void>;
  /** Lives that want to go on later end there. */
  readonly until: Date;
};

type Sleeper = { readonly life: Life; readonly wakesAt: Date };

export async function runLives(
  { clock, settle, until }: World,
  lives: readonly Life[],
): Promise<void> {
  const sleepers: Sleeper[] = [];
  const goOn = async (life: Life) => {
    const { done, value } = await life.next();
    if (done) return;
    if (value <= until) insert(sleepers, { life, wakesAt: value });
    else await life.return();
  };
  for (const life of lives) await goOn(life);
  for (let next = sleepers.shift(); next; next = sleepers.shift()) {
    clock.moveTo(next.wakesAt);
    await goOn(next.life);
    await settle();
  }
  clock.moveTo(until);
}

/** Behind those that wake at the same time. */
function insert(sleepers: Sleeper[], sleeper: Sleeper): void {
  let [from, to] = [0, sleepers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = sleepers[middle];
    if (other && other.wakesAt <= sleeper.wakesAt) from = middle + 1;
    else to = middle;
  }
  sleepers.splice(from, 0, sleeper);
}
