/** The scope of providers: raw bytes, proved by the provider's own secret or a bearer token, and webhook error bodies. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';
import type { HttpContext } from '../http-context.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { addWebhook } from './webhook.ts';
import { sendWebhookError } from './webhook-error.ts';

export function webhookApi(context: HttpContext): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.setErrorHandler(sendWebhookError);
    readRawBytes(app);
    for (const provider of deliveryProviders) addWebhook(app, context, provider);
    refuseOtherMethods();
  };
}

/** A signature covers the bytes as they were sent, so nothing may parse and re-encode them. */
function readRawBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  app.decorateRequest('contentType', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.contentType = request.headers['content-type'];
    request.raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** As the provider sent it: the header itself is overwritten to make Fastify read raw bytes. */
    contentType: string | undefined;
  }
}
