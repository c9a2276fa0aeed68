/** How callers prove who they are: tokens of merchants and orders, and the header of each provider. */

/** The proof of a provider's deliveries, as its provider describes it. */
export type ProviderProof = {
  readonly name: string;
  readonly proofHeader: string;
  readonly proofDescription: string;
};

export function securitySchemes(proofs: readonly ProviderProof[]): Record<string, object> {
  return {
    merchantToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The token of generate-token, valid for 20 minutes. It may make every call of its account. Keep it on your server.',
    },
    orderToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The token of create order or refresh-token, valid for 20 minutes. It opens one order, may be used in a browser, and sees personal data masked.',
    },
    ...Object.fromEntries(proofs.map((proof) => [proofSchemeOf(proof.name), proofScheme(proof)])),
  };
}

/** `bank-card` becomes `bankCardProof`. */
export function proofSchemeOf(providerName: string): string {
  return `${toCamelCase(providerName)}Proof`;
}

export function toCamelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function proofScheme({ proofHeader, proofDescription }: ProviderProof): object {
  return { type: 'apiKey', in: 'header', name: proofHeader, description: proofDescription };
}
