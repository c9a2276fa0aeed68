/** How the shop answers events, as a table that its page and the control API choose from. */

export type AnswerName = keyof typeof table;

export type Answer = {
  readonly label: string;
  readonly says: string;
  /** Without it there is no answer. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

const table = {
  ok: {
    label: '200 OK',
    says: 'Events are accepted. One with a wrong signature is answered with 400.',
    status: 200,
  },
  error: {
    label: '500 error',
    says: 'The shop fails. The service sends the event again after 5 s, 5 min, 30 min and so on.',
    status: 500,
  },
  busy: {
    label: '503 busy',
    says: 'The shop asks with Retry-After to be sent the event again after 10 s.',
    status: 503,
    headers: { 'retry-after': '10' },
  },
  hang: {
    label: 'Hang',
    says: 'The shop does not answer. The service closes the connection after 15 s and sends the event again.',
  },
  gone: {
    label: '410 gone',
    says: 'The service disables the endpoint. "endpoint enable" enables it again.',
    status: 410,
  },
} as const satisfies Record<string, Answer>;

const badSignature: Answer = { label: '400', says: 'The signature is wrong.', status: 400 };

export function answerNames(): AnswerName[] {
  return Object.keys(table) as AnswerName[];
}

export function isAnswerName(value: unknown): value is AnswerName {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

export function answerOf(name: AnswerName): Answer {
  return table[name];
}

/** As a shop should, it accepts nothing whose signature is wrong. */
export function answerTo(name: AnswerName, isForged: boolean): Answer {
  return name === 'ok' && isForged ? badSignature : table[name];
}
