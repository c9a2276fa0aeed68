/** Polls for a condition, with a deadline that turns a hang into a failure. */
import { setTimeout as delay } from 'node:timers/promises';

type PollOptions<Value> = {
  readonly secondsMax: number;
  readonly pauseMs: number;
  /** The error message when the deadline passes, from the last value read. */
  readonly explain: (last: Value) => string;
};

export async function waitUntil(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  secondsMax = 60,
): Promise<void> {
  const explain = () => `waited ${secondsMax} s in vain until ${what}`;
  await pollUntil(isSo, (is) => is, { secondsMax, pauseMs: 20, explain });
}

/** Reads again and again until the value is as wanted, and returns it. */
export async function pollUntil<Value>(
  read: () => Promise<Value> | Value,
  isWanted: (value: Value) => boolean,
  { secondsMax, pauseMs, explain }: PollOptions<Value>,
): Promise<Value> {
  const deadline = performance.now() + secondsMax * 1000;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (performance.now() > deadline) throw new Error(explain(value));
    await delay(pauseMs);
  }
}
