/** The requests and replies of the OpenAPI document as TypeScript, for the types of the client. */

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
};

export type Schemas = Readonly<Record<string, Schema>>;

/** What the client sends and gets; the schemas that these name follow. */
const roots = [
  'CreateOrderRequest',
  'PaymentLinkRequest',
  'PaymentLinkEnquiryRequest',
  'PaymentLinkUpdateRequest',
  'UpdateOrderRequest',
  'ResolveUserRequest',
  'PaymentRequest',
  'RefundRequest',
  'CaptureRequest',
  'VoidRequest',
  'EnquiryRequest',
  'Order',
  'FullOrder',
  'PaymentLink',
  'PaymentLinkEnquiry',
  'ResolvedUser',
  'PaymentModes',
  'Banks',
  'Wallets',
  'StartedPayment',
  'Refund',
  'Capture',
  'Void',
  'Enquiry',
  'OrderToken',
  'ErrorCode',
  'PaymentEvent',
  'RefundEvent',
  'CaptureEvent',
  'VoidEvent',
  'DisputeEvent',
  'OrderEvent',
  'ReviewEvent',
  'TestEvent',
];
/** A shop has the code of a currency as a text, and the service knows more of them with each release. */
const opened: Schemas = {
  Currency: { type: 'string', description: 'The ISO 4217 code of a currency.' },
};

export function typesOfApi(schemas: Schemas): string {
  const known = { ...schemas, ...opened };
  const types = listReachable(known).map(
    (name) => `${commentOf(known[name], '')}export type ${name} = ${typeOf(known[name], '')};\n`,
  );
  return `/** Requests and replies of the API, written by \`npm run client:types\` from its OpenAPI document. */\n\n${types.join('\n')}`;
}

function listReachable(schemas: Schemas): string[] {
  const found = new Set(roots);
  // A set also visits what is added while it is walked.
  for (const name of found) {
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    ))
      found.add(other);
  }
  return [...found].sort();
}

function typeOf(schema: Schema | undefined, indent: string): string {
  if (!schema) throw new Error('the document has no such schema');
  if (schema.$ref) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.enum) return schema.enum.map(literalOf).join(' | ');
  const types = [schema.type ?? []].flat();
  return types.map((type) => typeOfKind(type, schema, indent)).join(' | ');
}

function literalOf(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function typeOfKind(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items, indent);
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return schema.properties
        ? objectOf(schema, indent)
        : `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
    default:
      return type;
  }
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${commentOf(schema, inner)}${inner}${name}${mark}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function commentOf(schema: Schema | undefined, indent: string): string {
  return schema?.description ? `${indent}/** ${schema.description} */\n` : '';
}
