/** Completes one operation: examples, headers, encrypted alternatives, error replies, security and aliases. */
import { headersOf, securityOf } from './components.ts';
import type { DocumentedRoute } from './documentation.ts';
import { errorResponses } from './error-responses.ts';
import type { Content, Operation, Parameter, Response, Schema } from './model.ts';
import { mapValues } from './named-schemas.ts';
import { acceptsSealed, orSealedReply, orSealedRequest, sealedExamples } from './sealed.ts';

export function completeOperation(operation: Operation, route: DocumentedRoute): Operation {
  const { access, documentation } = route;
  const { aliases = [], security = access ? securityOf[access] : [] } = documentation;
  const hasBody = operation.requestBody !== undefined;
  const isSealed = acceptsSealed(access, hasBody);
  return {
    ...operation,
    description: describe(operation, aliases),
    parameters: parametersOf(operation, route, isSealed),
    ...(hasBody && { requestBody: requestBodyOf(operation, route, isSealed) }),
    responses: {
      ...successResponses(operation, route, isSealed),
      ...errorResponses(route, hasBody),
    },
    security,
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
  { parameters = [] }: Operation,
  { documentation, examples }: DocumentedRoute,
  isSealed: boolean,
): Operation['parameters'] {
  const { parameters: descriptions = {}, headers = {} } = documentation;
  const own = parameters.map((parameter) => {
    if ('$ref' in parameter) return parameter;
    const { name, description = descriptions[name] } = parameter;
    const example = examples.parameters?.[name];
    return { ...parameter, description, ...(example !== undefined && { example }) } as Parameter;
  });
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
    ...(isSealed ? [{ $ref: '#/components/parameters/Encryption' }] : []),
  ];
}

function requestBodyOf(
  { requestBody }: Operation,
  { documentation, examples, body }: DocumentedRoute,
  isSealed: boolean,
): Operation['requestBody'] {
  const schema = body ?? requestBody?.content['application/json']?.schema ?? {};
  const content: Content = {
    'application/json': {
      schema: isSealed ? orSealedRequest(schema) : schema,
      examples: { ...examples.requests, ...(isSealed && sealedExamples.request) },
    },
    ...(documentation.acceptsFormData && {
      'application/x-www-form-urlencoded': {
        schema: formDataSchema(schema),
        examples: examples.formData,
      },
    }),
  };
  return { required: true, content };
}

/** The replies whose schema the route declares, except the error replies of its scope. */
function successResponses(
  { responses }: Operation,
  { documentation: { replyDescription, replays }, examples }: DocumentedRoute,
  isSealed: boolean,
): Record<string, Response> {
  const own = Object.entries(responses).filter(([status]) => /^\d+$/.test(status));
  return mapValues(Object.fromEntries(own), (response, status) => ({
    description: status === '200' ? replyDescription : describeOther(response),
    headers: headersOf(Number(status), { replays }),
    content: mapValues(response.content ?? {}, ({ schema }) => ({
      schema: isSealed ? orSealedReply(schema) : schema,
      examples: { ...examples.replies[status], ...(isSealed && sealedExamples.reply) },
    })),
  }));
}

function describeOther({ content = {}, description }: Response): string {
  const [media] = Object.values(content);
  return String(media?.schema.description ?? description);
}

/** The schema of form data with dotted names: `order.id` is the field `id` of `order`. */
function formDataSchema(schema: Schema): Schema {
  const fields = flatten(schema, '');
  return {
    type: 'object',
    title: `${String(schema.title)}Form`,
    description: 'The same fields as in JSON, with the names of nested fields joined by dots.',
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [name, { type: 'string', description }]),
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: { type: 'string', description: 'Every other field is ignored.' },
  };
}

type Field = { readonly name: string; readonly description: unknown; readonly isRequired: boolean };

function flatten(schema: Schema, prefix: string): Field[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, entry]) => {
    const isRequired = required.includes(name);
    if (entry.properties === undefined) {
      return [{ name: `${prefix}${name}`, description: entry.description, isRequired }];
    }
    const fields = flatten(entry, `${prefix}${name}.`);
    return isRequired ? fields : fields.map((field) => ({ ...field, isRequired: false }));
  });
}
