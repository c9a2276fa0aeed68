/** The events that the shop has received, the secrets that it knows, and how it answers. */
import type { AnswerName } from './answers.ts';
import {
  checkEvent,
  isAccessSecret,
  isEndpointSecret,
  type Secrets,
  type SignedRequest,
  type Verdict,
} from './check-event.ts';
import { bodyText, type EventContent, parseBody, readContent } from './event-content.ts';

export type ReceivedEvent = {
  /** The header `webhook-id`: repeats have the same, and are one event here. */
  readonly id?: string;
  readonly attempts: number;
  /** Milliseconds since 1970, of the last attempt. */
  readonly receivedAt: number;
  readonly verdict: Verdict;
  readonly content: EventContent;
  readonly bodyText: string;
  /** The last attempt had other bytes than the one before. */
  readonly isChanged: boolean;
  /** What the last attempt was answered. */
  readonly answer: string;
};

/** What is kept of an event to compare it with repeats, and to check it again. */
export type StoredEvent = ReceivedEvent & {
  /** Increases with every event and every attempt. */
  readonly number: number;
  readonly request: SignedRequest;
};

type AnswerTo = (verdict: Verdict) => string;

export type ShopInbox = ReturnType<typeof openShopInbox>;

const eventsKept = 200;
const secretsKept = 10;

export function openShopInbox(now: () => number) {
  let events: readonly StoredEvent[] = [];
  let answer: AnswerName = 'ok';
  let secrets: Secrets = { endpoints: [], accounts: [] };
  let version = 0;
  const nextVersion = () => {
    version += 1;
    return version;
  };

  /** The library for merchants compares with the real time, and the clock here may show a past one. */
  const behindMs = () => Math.max(0, Date.now() - now());

  /** Events may come before their secret is given. */
  const checkAgain = async () => {
    const isOpen = ({ verdict: { kind, note } }: StoredEvent) => kind !== 'verified' || note;
    const checked = new Map<StoredEvent, Partial<StoredEvent>>();
    for (const event of events.filter(isOpen)) {
      const waitedMs = behindMs() + now() - event.receivedAt;
      checked.set(event, await readRequest(event.request, secrets, waitedMs));
    }
    // A repeat that came meanwhile is another object, and was checked with the new secret.
    events = events.map((event) => {
      const found = checked.get(event);
      return found ? { ...event, ...found, number: nextVersion() } : event;
    });
  };

  return {
    /** Stores an attempt and returns it with the count of those before. */
    receive: async (request: SignedRequest, answerTo: AnswerTo): Promise<ReceivedEvent> => {
      const read = await readRequest(request, secrets, behindMs());
      const id = request.headers['webhook-id'];
      const before = events.find((event) => id !== undefined && event.id === id);
      const event = {
        ...(id !== undefined && { id }),
        ...read,
        number: nextVersion(),
        attempts: (before?.attempts ?? 0) + 1,
        receivedAt: now(),
        isChanged: before !== undefined && !before.request.body.equals(request.body),
        answer: answerTo(read.verdict),
        request,
      };
      events = [event, ...events.filter((other) => other !== before)].slice(0, eventsKept);
      return event;
    },
    /** The last received first. */
    events: () => events,
    answer: () => answer,
    setAnswer: (name: AnswerName) => {
      answer = name;
      nextVersion();
    },
    /** Adds the secret of an endpoint, or an access secret. False if it is neither. */
    trust: async (given: string) => {
      const secret = given.trim();
      const { endpoints, accounts } = secrets;
      if (isEndpointSecret(secret)) secrets = { endpoints: added(endpoints, secret), accounts };
      else if (isAccessSecret(secret)) secrets = { endpoints, accounts: added(accounts, secret) };
      else return false;
      nextVersion();
      await checkAgain();
      return true;
    },
    secrets: () => secrets,
    /** Changes with everything that the page shows. */
    version: () => version,
  };
}

async function readRequest(request: SignedRequest, secrets: Secrets, waitedMs: number) {
  const { verdict, event = parseBody(request.body) } = await checkEvent(request, secrets, waitedMs);
  return { verdict, content: readContent(event), bodyText: bodyText(event, request.body) };
}

function added(secrets: readonly string[], secret: string): readonly string[] {
  return [...secrets.filter((other) => other !== secret), secret].slice(-secretsKept);
}
