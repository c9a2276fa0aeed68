/** The two timestamp forms of the contract, always UTC. */

/** Time is passed in, so that tests decide what time it is. */
export type Clock = () => Date;

/** `YYYY-MM-DD HH:MM:SS.ffffff`, the form of `order_date`. Contract 2.2. */
export function spacedTimestamp(time: Date): string {
  return microsecondTimestamp(time).replace('T', ' ');
}

/** `YYYY-MM-DDTHH:MM:SS.ffffff`, the form of the token expirations. Decision 3.6. */
export function microsecondTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000`;
}

export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}
