/** The merchant accounts that the providers know, and where and how they notify them. */

/** One merchant account as the providers know it. */
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
  /** The form of its notifications; without it both happen, by seed. */
  readonly webhookForm?: 'json' | 'form';
};

export type FindShop = (name: string) => Promise<Shop | undefined>;

export type Shops = {
  readonly register: (shop: Shop) => void;
  readonly findPartner: (keyId: string) => Promise<PartnerShop | undefined>;
  readonly findGateway: (merchantId: string) => Promise<GatewayShop | undefined>;
};

export function openShops(findShop: FindShop = async () => undefined): Shops {
  const partners = new Map<string, PartnerShop>();
  const gateways = new Map<string, GatewayShop>();
  return {
    register: ({ partner, gateway }) => {
      if (partner) partners.set(partner.keyId, partner);
      if (gateway) gateways.set(gateway.merchantId, gateway);
    },
    // A shop that was found is asked for again each time: its secrets may have been changed.
    findPartner: async (keyId) => partners.get(keyId) ?? (await findShop(keyId))?.partner,
    findGateway: async (merchantId) =>
      gateways.get(merchantId) ?? (await findShop(merchantId))?.gateway,
  };
}
