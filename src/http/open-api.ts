/** The OpenAPI document, generated from the route schemas and the documented bodies of webhooks. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { TSchema } from 'typebox';
import packageJson from '../../package.json' with { type: 'json' };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Documented but not validated: the route reads raw bytes. */
    documentedBody?: TSchema;
  }
}

export function openApiOptions(publicUrl: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: packageJson.name,
        version: packageJson.version,
        description: packageJson.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
      security: [{ bearer: [] }],
    },
    transform: ({ schema, url, route }) => {
      const body = route.config?.documentedBody;
      return { url, schema: body ? { ...schema, body } : schema };
    },
  };
}
