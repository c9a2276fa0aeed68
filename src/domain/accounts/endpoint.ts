/** An endpoint: a URL of the shop that events are sent to. Contract 12.1. */
import { refuseField, ServiceError } from '../errors.ts';
import { type EventType, eventTypes } from '../event-type.ts';
import { limits } from '../limits.ts';

export type Endpoint = {
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Empty for all types. */
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** Null while it is enabled. */
  readonly disabledReason: string | null;
};

export const isEnabled = ({ disabledReason }: Endpoint): boolean => disabledReason === null;

export function wants({ events }: Pick<Endpoint, 'events'>, type: EventType): boolean {
  return events.length === 0 || events.includes(type);
}

/** Sealed together with it, so it must not change. */
export function secretKindOf({ endpointId }: Pick<Endpoint, 'endpointId'>): string {
  return `${kindPrefix}${endpointId}`;
}

export const isEndpointSecretKind = (kind: string): boolean => kind.startsWith(kindPrefix);

const kindPrefix = 'endpoint-secret-';

export function checkEventTypes(texts: readonly string[]): EventType[] {
  const types = texts.map((text) => {
    const type = eventTypes.find((known) => known === text);
    return type ?? refuseField(`event ${text}`, `must be one of ${eventTypes.join(', ')}`);
  });
  return [...new Set(types)];
}

/** For whoever gave another scheme. Contract 12.6. */
export const acceptedSchemes =
  'must begin with https://, or with http:// on loopback in embedded mode';

/** What can be said without resolving its name, which is checked whenever it is connected to. Contract 12.6. */
export function checkEndpointUrl(text: string): URL {
  if (!URL.canParse(text)) {
    refuseField('url', `must be a URL such as https://shop.example/events, and ${acceptedSchemes}`);
  }
  const url = new URL(text);
  if (text.length > limits.textCharsMax) {
    refuseField('url', `may have at most ${limits.textCharsMax} characters`);
  }
  if (url.username !== '' || url.password !== '') {
    refuseField(
      'url',
      'must not contain a user name or password: the signature authenticates events',
    );
  }
  if (url.hash !== '') refuseField('url', 'must not have a part after #, which is never sent');
  if (!['https:', 'http:'].includes(url.protocol)) refuseField('url', acceptedSchemes);
  return url;
}

export function unknownEndpoint(endpointId: string): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    `There is no endpoint ${endpointId}: see the list of endpoints.`,
  );
}
