/** The scope of providers: raw bytes, the provider's own proof or a bearer, the contract's error shape. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';
import type { Edge } from '../edge.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { addWebhook } from './webhook.ts';
import { sendWebhookError } from './webhook-error.ts';

export function webhookApi(edge: Edge): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    app.setErrorHandler(sendWebhookError);
    keepRawBytes(app);
    for (const provider of deliveryProviders) addWebhook(app, edge, provider);
    refuseOtherMethods();
  };
}

/** A signature is over the bytes as they came; nothing may parse and write them again. */
function keepRawBytes(app: FastifyInstance): void {
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
    /** As the provider sent it, before the bytes were taken as they are. */
    contentType: string | undefined;
  }
}
