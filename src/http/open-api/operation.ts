/** Completes one operation: examples, headers, encrypted alternatives, error replies, security and aliases. */
import type { DocumentedRoute, Examples } from './documentation.ts';
import { errorResponses } from './error-responses.ts';
import { headersOf } from './headers.ts';
import type { Content, Operation, Parameter, Response, Schema } from './model.ts';
import { mapValues } from './named-schemas.ts';
import { acceptsSealed, orSealedReply, orSealedRequest, sealedExamples } from './sealed.ts';

export function completeOperation(
  operation: Operation,
  route: DocumentedRoute,
  examples: Examples,
): Operation {
  const { aliases = [] } = route.documentation;
  const hasBody = operation.requestBody !== undefined;
  return {
    ...operation,
    description: describe(operation, aliases),
    parameters: parametersOf(operation, route, examples),
    ...(hasBody && { requestBody: requestBodyOf(operation, route, examples) }),
    responses: {
      ...successResponses(operation, route, examples),
      ...errorResponses(route, examples, hasBody),
    },
    security: route.documentation.security ?? securityOf(route),
    ...(aliases.length > 0 && { 'x-aliases': aliases }),
  };
}

function describe({ summary, description }: Operation, aliases: readonly string[]): string {
  const text = description ?? `${summary}.`;
  if (aliases.length === 0) return text;
  const others = aliases.map((alias) => `\`${alias}\``).join(', ');
  return `${text}\n\nShipped clients also call it as ${others}, with the same bodies and replies.`;
}

function parametersOf(
  operation: Operation,
  route: DocumentedRoute,
  examples: Examples,
): Operation['parameters'] {
  const { parameters: descriptions = {}, headers = {} } = route.documentation;
  const own = (operation.parameters ?? []).map((parameter) => {
    if ('$ref' in parameter) return parameter;
    const { name, description = descriptions[name] } = parameter;
    const example = examples.parameters?.[name];
    return { ...parameter, description, ...(example !== undefined && { example }) } as Parameter;
  });
  const hasBody = operation.requestBody !== undefined;
  return [
    ...own,
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
      example: examples.parameters?.[name],
    })),
    { $ref: '#/components/parameters/RequestId' },
    ...(acceptsSealed(route, hasBody) ? [{ $ref: '#/components/parameters/Encryption' }] : []),
  ];
}

function requestBodyOf(operation: Operation, route: DocumentedRoute, examples: Examples) {
  const schema = operation.requestBody?.content['application/json']?.schema ?? {};
  const { requests = {}, formData = {} } = examples;
  const isSealed = acceptsSealed(route, true);
  const content: Content = {
    'application/json': {
      schema: isSealed ? orSealedRequest(schema) : schema,
      examples: {
        ...requests,
        ...(isSealed && { encrypted: sealedExamples.encrypted_request }),
      },
    },
    ...(route.documentation.acceptsFormData && {
      'application/x-www-form-urlencoded': { schema: formDataSchema(schema), examples: formData },
    }),
  };
  return { required: true, content };
}

/** The replies whose schema the route declares, except the error replies of its scope. */
function successResponses(
  { responses, requestBody }: Operation,
  route: DocumentedRoute,
  examples: Examples,
): Record<string, Response> {
  const { replyDescription, replays } = route.documentation;
  const isSealed = acceptsSealed(route, requestBody !== undefined);
  const own = Object.entries(responses).filter(([status]) => /^\d+$/.test(status));
  return Object.fromEntries(
    own.map(([status, response]) => {
      const shown = examples.replies[status] ?? {};
      const media = Object.entries(response.content ?? {}).map(([type, { schema }]) => [
        type,
        {
          schema: isSealed ? orSealedReply(schema) : schema,
          examples: { ...shown, ...(isSealed && { encrypted: sealedExamples.encrypted_reply }) },
        },
      ]);
      const headers = headersOf(Number(status), { replays });
      const description = status === '200' ? replyDescription : describeOther(response);
      return [status, { description, headers, content: Object.fromEntries(media) }];
    }),
  );
}

function describeOther({ content = {}, description }: Response): string {
  const [media] = Object.values(content) as { readonly schema: Schema }[];
  return String(media?.schema.description ?? description);
}

function securityOf({ access }: DocumentedRoute): readonly object[] {
  switch (access) {
    case 'merchant':
      return [{ merchantToken: [] }];
    case 'order':
      return [{ merchantToken: [] }, { orderToken: [] }];
    case 'anyone':
      return [{}, { merchantToken: [] }, { orderToken: [] }];
    case 'public':
    case undefined:
      return [];
    default:
      return access satisfies never;
  }
}

/** The schema of form data with dotted names: `order.id` is the field `id` of `order`. */
function formDataSchema(schema: Schema): Schema {
  const fields = flatten(schema, '');
  return {
    type: 'object',
    title: `${String(schema.title)}Form`,
    description: 'The same fields as in JSON, with the names of nested fields joined by dots.',
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [name, text(description)]),
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: { type: 'string', description: 'Every other field is ignored.' },
  };
}

type Field = { readonly name: string; readonly description: unknown; readonly isRequired: boolean };

function flatten(schema: Schema, prefix: string): Field[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema.required ?? []) as readonly string[];
  const nested = mapValues(properties, (entry, name) => {
    const isRequired = required.includes(name);
    if (entry.properties === undefined) {
      return [{ name: `${prefix}${name}`, description: entry.description, isRequired }];
    }
    const fields = flatten(entry, `${prefix}${name}.`);
    return isRequired ? fields : fields.map((field) => ({ ...field, isRequired: false }));
  });
  return Object.values(nested).flat();
}

function text(description: unknown): Schema {
  return { type: 'string', description };
}
