/** The merchant accounts of the providers, with their credentials and webhook settings. */

/** One merchant account at one or both providers. */
export type Shop = {
  readonly partner?: PartnerShop;
  readonly gateway?: GatewayShop;
};

export type PartnerShop = {
  readonly keyId: string;
  readonly keySecret: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
};

export type GatewayShop = {
  readonly merchantId: string;
  readonly password: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  /** The format of the notifications; without it, the seed chooses one for each transaction. */
  readonly webhookForm?: 'json' | 'form';
};

export type FindShop = (name: string) => Promise<Shop | undefined>;

export type Shops = ReturnType<typeof openShops>;

export function openShops(findShop: FindShop = async () => undefined) {
  const partners = new Map<string, PartnerShop>();
  const gateways = new Map<string, GatewayShop>();
  return {
    register: ({ partner, gateway }: Shop) => {
      if (partner) partners.set(partner.keyId, partner);
      if (gateway) gateways.set(gateway.merchantId, gateway);
    },
    // A shop is looked up again each time, because its secrets may have changed.
    findPartner: async (keyId: string) => partners.get(keyId) ?? (await findShop(keyId))?.partner,
    findGateway: async (merchantId: string) =>
      gateways.get(merchantId) ?? (await findShop(merchantId))?.gateway,
  };
}
