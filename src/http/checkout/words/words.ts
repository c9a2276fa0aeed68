/** What the pages of a consumer say, in every language. A language is one file that fills this type. Contract 14.4. */
import type { PaymentModeCode } from '../../../domain/payment-mode.ts';
import type { FailureCode } from '../../../domain/payments/failure.ts';

export type Words = {
  /** Name of the language in itself, for the switch. */
  readonly language: string;
  /** For `lang` and `Intl`. */
  readonly locale: string;
  readonly switchLanguage: string;
  readonly title: (shopName: string) => string;
  readonly securePayment: string;

  readonly order: {
    readonly summary: string;
    readonly invoice: string;
    readonly items: string;
    readonly quantity: (count: string) => string;
    readonly moreItems: (count: string) => string;
    readonly beforeTax: string;
    readonly tax: string;
    readonly total: string;
    /** The price that the shop showed, in its own currency. */
    readonly original: string;
    readonly payBefore: (time: string) => string;
  };

  readonly choose: {
    readonly heading: string;
    readonly usedBefore: string;
    readonly allWays: string;
    readonly modes: Readonly<Record<PaymentModeCode, string>>;
    readonly hints: Readonly<Record<PaymentModeCode, string>>;
    readonly bank: string;
    readonly wallet: string;
    readonly search: string;
    readonly noMatch: string;
    readonly pickOne: string;
    readonly upiId: string;
    readonly upiIdHint: string;
    readonly upiIdInvalid: string;
    readonly pay: (amount: string) => string;
    readonly opening: string;
    readonly atProvider: string;
    readonly none: string;
    readonly unavailable: string;
    readonly tooMany: string;
  };

  readonly upi: {
    readonly heading: string;
    readonly scan: string;
    /** On a phone, where the link to the app comes first. */
    readonly scanElsewhere: string;
    readonly openApp: string;
    readonly codeLabel: (amount: string, shopName: string) => string;
    readonly elsewhere: string;
    /** Instead of the text of `waiting`, when the payment takes long. */
    readonly slow: string;
  };

  readonly waiting: {
    readonly heading: string;
    readonly text: string;
    readonly stay: string;
    readonly continue: string;
    /** Instead of heading, text and continue, when the payment takes long. */
    readonly slowHeading: string;
    readonly slowText: string;
    /** The same for a payment without a page of the provider, such as one that an app asks to approve. */
    readonly slowElsewhere: string;
    readonly openAgain: string;
    readonly another: string;
    readonly anotherHint: string;
    /** The provider has an attempt of this payment, so no other may be started. */
    readonly stillOpen: string;
    readonly notReached: string;
    readonly refresh: string;
  };

  readonly paid: {
    readonly heading: string;
    readonly already: string;
    readonly text: (shopName: string) => string;
    readonly returning: (seconds: string) => string;
    readonly receipt: string;
    readonly paidOn: string;
    readonly paidWith: string;
    readonly transaction: string;
    readonly print: string;
  };

  readonly checking: { readonly heading: string; readonly text: string };

  readonly failed: {
    readonly heading: string;
    readonly notCharged: string;
    readonly reasons: Readonly<Record<FailureCode, string>>;
  };

  readonly expired: { readonly heading: string; readonly text: string };

  readonly pending: { readonly heading: string; readonly text: string };

  readonly back: {
    readonly toShop: string;
    readonly close: string;
    readonly forwarding: string;
  };

  readonly support: { readonly heading: string };

  readonly launch: { readonly heading: string; readonly text: string; readonly continue: string };

  readonly errors: {
    readonly signedOut: string;
    readonly signedOutText: string;
    readonly unknown: string;
    readonly unknownText: string;
    readonly suspended: string;
    readonly suspendedText: string;
    readonly otherConsumer: string;
    readonly otherConsumerText: string;
    readonly busy: string;
    readonly busyText: string;
    readonly moment: string;
    readonly momentText: string;
    readonly outdated: string;
  };
};
