/** What the pages of a consumer say, in English. Every other language says the same: it fills the same type. Contract 14.4. */
import { type FailureCode, failureTable } from '../../../domain/payments/failure.ts';

export type Words = typeof en;

export const en = {
  /** Name of the language in itself, for the switch. */
  language: 'English',
  /** For `lang` and `Intl`. */
  locale: 'en-IN',
  switchLanguage: 'Language',
  title: (shopName: string) => `Pay ${shopName}`,
  securePayment: 'Secure payment',

  order: {
    summary: 'Your order',
    invoice: 'Order number',
    items: 'Items',
    quantity: (count: string) => `Quantity ${count}`,
    moreItems: (count: string) => `and ${count} more`,
    beforeTax: 'Subtotal',
    tax: 'Tax',
    total: 'Total',
    /** The price that the shop showed, in its own currency. */
    original: 'Price in the shop',
    payBefore: (time: string) => `Please pay before ${time}.`,
  },

  choose: {
    heading: 'How would you like to pay?',
    usedBefore: 'You paid with this before',
    allWays: 'All ways to pay',
    modes: {
      upi: 'UPI',
      credit_card: 'Credit card',
      debit_card: 'Debit card',
      net_banking: 'Net banking',
      wallet: 'Wallet',
      prepaid_card: 'Prepaid card',
    },
    hints: {
      upi: 'Any UPI app',
      credit_card: 'Visa, Mastercard, RuPay and others',
      debit_card: 'Visa, Mastercard, RuPay and others',
      net_banking: 'Sign in at your bank',
      wallet: 'Pay from your balance',
      prepaid_card: 'Gift and forex cards',
    },
    /** The account from which the order must be paid; empty if its digits cannot be shown. */
    payFrom: (lastDigits: string) =>
      lastDigits === ''
        ? 'Pay from the bank account that you gave to the shop. A payment from another account is refused.'
        : `Pay from your bank account ending in ${lastDigits}. A payment from another account is refused.`,
    bank: 'Your bank',
    wallet: 'Your wallet',
    search: 'Search',
    noMatch: 'No match. Check the spelling, or choose another way to pay.',
    upiId: 'UPI ID (optional)',
    upiIdHint: 'For example name@bank. Your UPI app then asks you to approve the payment.',
    pay: (amount: string) => `Pay ${amount}`,
    opening: 'Opening the payment page…',
    atProvider: 'You enter your details on the secure page of the payment provider.',
    none: 'This shop has no way to pay set up yet. Please contact the shop.',
  },

  upi: {
    heading: 'Pay with your UPI app',
    scan: 'Scan this code with any UPI app on your phone.',
    /** On a phone, where the link to the app comes first. */
    scanElsewhere: 'Or scan this code with a UPI app on another phone.',
    openApp: 'Open a UPI app',
    codeLabel: (amount: string, shopName: string) => `QR code to pay ${amount} to ${shopName}`,
    elsewhere: 'Pay on the page of the payment provider instead',
    /** Instead of the text of `waiting`, when the payment takes long. */
    slow: 'Your bank has not confirmed the payment yet. If you have not paid, open the app or scan the code again. If you have paid, please wait: you do not have to pay again.',
  },

  waiting: {
    heading: 'Waiting for your bank',
    text: 'We are waiting for your bank to confirm the payment. This usually takes a few seconds.',
    stay: 'This page changes by itself. You can safely reload it.',
    continue: 'Continue to the payment page',
    /** In a frame, from which the payment page opens in a window of its own. */
    window:
      'The payment page opens in a new window. If you do not see it, open it with the button. This page changes by itself.',
    /** Instead of heading, text and continue, when the payment takes long. */
    slowHeading: 'Still waiting for your bank',
    slowText:
      'Your bank has not confirmed the payment yet. If you have not paid, open the payment page again. If you have paid, please wait: you do not have to pay again.',
    /** The same for a payment without a page of the provider, such as one that an app asks to approve. */
    slowElsewhere:
      'Your bank has not confirmed the payment yet. If an app asks you to approve it, please do so. If you have paid, please wait: you do not have to pay again.',
    openAgain: 'Open the payment page again',
    another: 'Choose another way to pay',
    anotherHint: 'Did you come back without paying?',
    refresh: 'Check again',
  },

  paid: {
    heading: 'Payment received',
    already: 'This order is paid. You do not have to pay again.',
    text: (shopName: string) => `Thank you. ${shopName} has your payment.`,
    returning: (seconds: string) => `You return to the shop in ${seconds} s.`,
    receipt: 'Receipt',
    paidOn: 'Paid on',
    paidWith: 'Paid with',
    transaction: 'Transaction',
    print: 'Print the receipt',
  },

  /** An authorised payment that the shop captures later. */
  reserved: {
    heading: 'Amount reserved',
    text: (shopName: string) =>
      `Thank you. The amount is reserved, and ${shopName} charges it when your order is ready. You do not have to pay again.`,
    already: 'The shop charges it later. You do not have to pay again.',
    receipt: 'Reservation',
  },

  checking: {
    heading: 'The shop checks your payment',
    text: 'Your payment arrived, but it differs from the order. The shop looks at it and contacts you. Please do not pay again.',
  },

  failed: {
    heading: 'The payment failed',
    notCharged: 'The order is not paid.',
    reasons: Object.fromEntries(
      Object.entries(failureTable).map(([code, { consumerMessage }]) => [code, consumerMessage]),
    ) as Record<FailureCode, string>,
  },

  expired: {
    heading: 'This order has expired',
    text: 'The time to pay is over. Please go back to the shop and order again.',
  },

  tooLate: {
    heading: 'Your payment came too late',
    text: 'The time to pay was over. The shop is giving you your money back. If you still want to buy, please go back to the shop and order again.',
  },

  pending: {
    heading: 'Payment not confirmed yet',
    text: 'Your bank has not confirmed the payment yet. The shop is informed of the result.',
  },

  back: {
    toShop: 'Back to the shop',
    close: 'You can close this page.',
    forwarding: 'You are taken back to the shop.',
  },

  support: { heading: 'Questions about this order?' },

  launch: {
    heading: 'Opening the payment page',
    text: 'You are taken to the secure page of the payment provider.',
    continue: 'Continue',
  },

  /** Why a form did not start a payment. */
  problems: {
    pickOne: 'Please choose one from the list.',
    upiIdInvalid: 'This UPI ID is not valid. It should look like name@bank.',
    unavailable: 'This way to pay is not available now. Please choose another one.',
    tooMany: 'There were too many tries for this order. Please contact the shop.',
    /** The provider has an attempt of this payment, so no other may be started. */
    stillOpen:
      'Your bank has a payment for this order in progress. To keep you from paying twice, please wait for its result.',
    notReached:
      'We could not check this payment at the provider just now. Please try again in a moment.',
    outdated: 'The order has changed since this page was opened. Please check it and pay again.',
  },

  errors: {
    signedOut: 'This payment page has expired',
    signedOutText:
      'For your safety the page is open for a limited time. If you have paid, the shop is informed of it. Otherwise please go back to the shop and start the payment again.',
    unknown: 'There is no such payment',
    unknownText: 'Please check the address, or go back to the shop.',
    suspended: 'Payments to this shop are paused',
    suspendedText: 'Please contact the shop.',
    cancelled: 'This payment link was cancelled',
    cancelledText:
      'The shop has cancelled this payment link. If you have paid, the shop is informed of it. Otherwise please contact the shop.',
    otherConsumer: 'This order belongs to another customer',
    otherConsumerText: 'Please go back to the shop, sign in there and start the payment again.',
    busy: 'Too many requests',
    busyText: 'Please wait a few seconds and reload this page.',
    moment: 'One moment, please',
    momentText: 'We cannot show your payment just now. This page tries again by itself.',
  },
};
