/**
 * The interface of a provider: it verifies and translates deliveries, and makes outbound calls. A provider
 * knows its own wire format and our domain types, and nothing of the store.
 */
import type { TSchema } from 'typebox';
import type { ExemptFields } from '../domain/cards/card-fields.ts';
import type { Translation } from '../domain/inbox/translation.ts';
import type { ChoiceMode, PaymentModeCode } from '../domain/payment-mode.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Erasing } from './erase.ts';
import type { OutboundProvider } from './outbound.ts';
import type { ProviderSettings } from './settings.ts';

/** The bytes of one call and its headers, names in lower case. */
export type RawDelivery = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

export type Verification =
  /** The provider's own proof is present and correct. */
  | 'verified'
  /** The proof is present and wrong. */
  | 'refused'
  /** There is no proof; the caller may have a bearer token. */
  | 'absent';

type ProviderDocumentation = {
  /**
   * The format of a delivery; deliveries are not validated against it. Loaded when the reference is built: the command
   * line needs providers and no schemas, which take longer to load than all else.
   */
  readonly loadSchema: () => Promise<TSchema>;
  readonly proofDescription: string;
  /** The other headers that it sends and that are used, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if it also sends form data with dotted names. */
  readonly acceptsFormData: boolean;
  /** Recorded deliveries and replies. */
  readonly examples: URL;
};

/** A bank or a wallet, by the code that starts a payment with it. */
export type Choice = { readonly code: string; readonly name: string };

export type Provider = {
  readonly name: ProviderName;
  /** As shown in `payment_partner`. Contract 5.3. */
  readonly displayName: string;
  /** The payment mode of payments whose deliveries do not report one. */
  readonly paymentModeOtherwise: string | null;
  readonly documentation: ProviderDocumentation;
  readonly settings: ProviderSettings;
  readonly outbound: OutboundProvider;
  /** The header that proves a delivery, in lower case. Without it the body is not read. Contract 6.10. */
  readonly proofHeader: string;
  /** The banks or wallets that a consumer can choose before paying; absent if the provider's own page asks for them. */
  readonly choices?: Readonly<Partial<Record<ChoiceMode, readonly Choice[]>>>;
  /** The payments that it can check to come from the bank account of their order; absent if none. Contract 3.14. */
  readonly accountCheck?: {
    readonly currency: string;
    readonly modeCodes: readonly PaymentModeCode[];
  };
  readonly verify: (delivery: RawDelivery, secrets: readonly string[]) => Verification;
  /** The provider's id of the event. The proof does not cover it, so it does not identify a repeat. Contract 6.7. */
  readonly findEventId: (delivery: RawDelivery) => string | undefined;
  /** The provider's word for the event, as its own documents spell it; lists of deliveries show it. */
  readonly findEventName: (delivery: RawDelivery) => string | undefined;
  /** Identifies repeats without an event id; undefined if only equal bytes are a repeat. */
  readonly findContentKey: (delivery: RawDelivery) => string | undefined;
  /** Headers that are stored with the delivery; never the proof. */
  readonly storedHeaders: readonly string[];
  /** Fields that are not masked in stored bodies. Contract 8.5. */
  readonly exemptFields: ExemptFields;
  readonly translate: (delivery: RawDelivery, account: ProviderAccount) => Translation;
  readonly erasing: Erasing;
};

/** The account's settings that a translation depends on, as they were when the delivery arrived. */
export type ProviderAccount = {
  /** The value of `merchantSetting`; null if the account has not set it. */
  readonly expectedMerchant: string | null;
};
