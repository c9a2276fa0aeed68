/** Errors as pages: what happened and what the consumer can do, without any detail of the request. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../domain/errors.ts';
import { errorBody, prepareErrorReply } from '../error-reply.ts';
import { chooseLanguage, languages } from './language.ts';
import { noticeView, wayOutOfFrame } from './outcome-view.ts';
import { sendPage } from './page.ts';
import { isInFrame } from './session.ts';
import type { Words } from './words/en.ts';

export function sendCheckoutError(
  failure: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = prepareErrorReply(failure, request, reply);
  const wantsPage = /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*');
  if (!wantsPage) return reply.send(errorBody(error));
  const language = chooseLanguage(request);
  const words = languages[language];
  const [heading, text] = textOf(words, error);
  const isTemporary = error.entry.status >= 500;
  // The script of a frame shows the error, and leaves with the last result that it knows.
  const back = isInFrame(request) ? wayOutOfFrame : undefined;
  return sendPage(reply, {
    language,
    title: heading,
    content: noticeView(words, isTemporary ? 'neutral' : 'bad', heading, [text], back),
    ...(isTemporary && { reload: { seconds: 2, url: pageUrlOf(request) } }),
    hasScript: isTemporary,
    formAction: [],
  });
}

/** The page of a payment link that the shop cancelled. Contract 19.2. */
export function sendCancelled(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = chooseLanguage(request);
  const words = languages[language];
  const { cancelled, cancelledText } = words.errors;
  return sendPage(reply, {
    language,
    title: cancelled,
    content: noticeView(words, 'neutral', cancelled, [cancelledText]),
    hasScript: false,
    formAction: [],
  });
}

/** The consumer may have paid, so the page that a form leads to is loaded instead of posting the form again. */
function pageUrlOf({ url, params }: FastifyRequest): string {
  const last = url.slice(url.lastIndexOf('/') + 1);
  const { order_id: orderId } = params as { order_id?: string };
  // Relative, because PUBLIC_URL may have a path.
  return last === 'pay' || last === 'give-up' ? `../${orderId}` : last;
}

function textOf({ errors }: Words, { code, entry }: ServiceError): readonly [string, string] {
  if (entry.status >= 500) return [errors.moment, errors.momentText];
  if (entry.status === 401) return [errors.signedOut, errors.signedOutText];
  switch (code) {
    case 'ACCOUNT_SUSPENDED':
      return [errors.suspended, errors.suspendedText];
    case 'PERMISSION_DENIED':
      return [errors.otherConsumer, errors.otherConsumerText];
    case 'RATE_LIMITED':
      return [errors.busy, errors.busyText];
    default:
      return [errors.unknown, errors.unknownText];
  }
}
