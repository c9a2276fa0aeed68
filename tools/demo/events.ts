/** Prints the events that the shop receives: as they come, but never between a call and its reply. */
import type { ReceivedEvent, Simulator } from '../../simulator/simulator.ts';
import { pollUntil } from '../harness/wait-until.ts';
import { dim, heading } from './words.ts';

const waitSecondsMax = 30;

export function openEventPrinter({ shop }: Simulator) {
  const printed = new Set<string>();

  const printFresh = (): boolean => {
    const fresh = shop.events().filter(({ id = '' }) => !printed.has(id));
    // Those that came since the last look, by their sequence: on the way they may overtake each other.
    for (const event of fresh.toSorted((one, other) => sequenceOf(one) - sequenceOf(other))) {
      printed.add(event.id ?? '');
      console.log(lineOf(event));
      if (event.verdict.kind !== 'verified') throw new Error('an event is not verified');
    }
    return fresh.length > 0;
  };

  return {
    /** Prints what has come since the last time. */
    print: () => {
      if (printFresh()) console.log();
    },
    /** Waits until an event of each of these types has come, as often as it is named, and no sequence is missing. */
    printUntil: async (types: readonly string[]) => {
      await pollUntil(
        () => {
          printFresh();
          return shop.events();
        },
        (events) => isWhole(events) && missingTypes(events, types).length === 0,
        {
          secondsMax: waitSecondsMax,
          pauseMs: 50,
          explain: (events) =>
            `the shop has waited ${waitSecondsMax} s for ${missingTypes(events, types).join(', ') || 'a missing event'}`,
        },
      );
      console.log();
    },
  };
}

function lineOf({ content, verdict }: ReceivedEvent): string {
  const { sequence = '', type = '', status = '', transactionId = '' } = content;
  const words = `${sequence.padStart(2)}  ${type.padEnd(18)}  ${status.padEnd(10)}  ${verdict.kind}`;
  return `${heading('the shop receives')} ${words}  ${dim(transactionId)}`.trimEnd();
}

function sequenceOf({ content }: ReceivedEvent): number {
  return Number(content.sequence);
}

/** An order counts its events: 1, 2, 3. */
function isWhole(events: readonly ReceivedEvent[]): boolean {
  return Math.max(0, ...events.map(sequenceOf)) === events.length;
}

function missingTypes(events: readonly ReceivedEvent[], types: readonly string[]): string[] {
  const come = events.map(({ content }) => content.type);
  return types.filter((type) => {
    const index = come.indexOf(type);
    if (index >= 0) come.splice(index, 1);
    return index < 0;
  });
}
