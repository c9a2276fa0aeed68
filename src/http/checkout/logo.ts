/** `GET /checkout/logo/<account_id>/<digest>`: the logo of a shop. Contract 14.2. */
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from '../http-context.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';

type Params = { readonly account_id: string; readonly digest: string };

/** The image comes from an account, so a browser that opens it alone must not treat it as a page of ours. */
const headers = {
  // The URL names the content, so the content never changes.
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

export function logoRoute({ useCases }: HttpContext) {
  return refusingOtherMethods((app) => {
    app.get<{ Params: Params }>('/checkout/logo/:account_id/:digest', {
      config: { bound: 'logo' },
      handler: async ({ params }, reply) => {
        const logo = await useCases.findLogo(params.account_id, params.digest);
        if (!logo) throw new ServiceError('NOT_FOUND', 'The account has no such logo.');
        return reply.headers(headers).type(logo.mediaType).send(logo.bytes);
      },
    });
  });
}
