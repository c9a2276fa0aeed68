/**
 * What a provider is to the service: two verbs for what comes in, three for what goes out. A provider
 * knows its own wire format and our vocabulary, and nothing of the store.
 */
import type { TSchema } from 'typebox';
import type { ExemptFields } from '../domain/cards/card-fields.ts';
import type { ChoiceMode } from '../domain/payment-mode.ts';
import type { PersonalValues, Scrub } from '../domain/personal-data/scrub.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { ReviewFlag } from '../domain/review-flag.ts';
import type { Notice, OrderReferences } from '../domain/transactions/notice.ts';
import type { OutboundProvider } from './outbound.ts';
import type { ProviderSettings } from './settings.ts';

/** The bytes of one call and its headers, names in lower case. */
export type RawDelivery = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

export type Verification =
  /** The provider's own proof is there and right. */
  | 'verified'
  /** It is there and wrong. */
  | 'refused'
  /** It is not there; the caller may have another one. */
  | 'absent';

export type Translation =
  | { readonly kind: 'notice'; readonly notice: Notice }
  | Report
  /** Understood, and nothing for us to do. */
  | {
      readonly kind: 'ignored';
      readonly why: string;
      readonly flags?: readonly ReviewFlag[];
      /** A caller with a merchant token gets a 400 for such an event. Contract 6.5. */
      readonly isForeignEvent?: true;
    }
  /** Can never be understood: no such body, no event, no ids. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** Belongs to an order and changes none of its transactions, such as a dispute. Contract 6.9. */
export type Report = {
  readonly kind: 'report';
  readonly names: OrderReferences;
  /** What becomes of it once its order is known. */
  readonly state: 'needs_review' | 'ignored';
  readonly why: string;
  readonly flags: readonly ReviewFlag[];
  readonly isForeignEvent?: true;
};

/** A bank or a wallet, by the code that starts a payment with it. */
export type Choice = { readonly code: string; readonly name: string };

export type Provider = {
  readonly name: ProviderName;
  /** As shown in `payment_partner`. Contract 5.3. */
  readonly displayName: string;
  /** What its payments are where no delivery says more. */
  readonly paymentModeOtherwise: string | null;
  /** The shape of a delivery, for the API page; nothing is refused by it. */
  readonly deliverySchema: TSchema;
  /** What an account sets for it. */
  readonly settings: ProviderSettings;
  readonly outbound: OutboundProvider;
  /** The header that proves a delivery, in lower case. Without it a delivery is not even read. Contract 6.10. */
  readonly proofHeader: string;
  /** What a consumer can choose from before they pay, by name; absent where that is done at the provider's page. */
  readonly choices?: Readonly<Partial<Record<ChoiceMode, readonly Choice[]>>>;
  readonly verify: (delivery: RawDelivery, secrets: readonly string[]) => Verification;
  /** The provider's id of the event. No proof covers it, so it does not tell a repeat by itself. Contract 6.7. */
  readonly findEventId: (delivery: RawDelivery) => string | undefined;
  /** The key of a repeat that comes without an id; undefined where only the bytes can tell. */
  readonly findContentKey: (delivery: RawDelivery) => string | undefined;
  /** Headers that are kept with the delivery; never one that proves it. */
  readonly storedHeaders: readonly string[];
  /** What is not masked in the bodies that are stored. Contract 8.5. */
  readonly exemptFields: ExemptFields;
  readonly translate: (delivery: RawDelivery, account: ProviderAccount) => Translation;
  /** Erasing: it keeps what `translate` reads. Contract 8.7. */
  readonly erasing: Erasing;
};

export type Erasing = {
  /** What a body says of the consumer who paid. */
  readonly listPersonalValues: (body: Buffer) => PersonalValues;
  /** Only fields that are known not to be personal stay, texts among them scrubbed; it means what it meant. */
  readonly eraseBody: (body: Buffer, scrub: Scrub) => Buffer;
};

/** The account's settings that a translation depends on, as they were when the delivery arrived. */
export type ProviderAccount = {
  /** The value of `merchantSetting`; null where the account has not set it. */
  readonly expectedMerchant: string | null;
};
