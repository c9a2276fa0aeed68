/** The pages in English. */
import { failureTable } from '../../../domain/payments/failure.ts';
import { mapValues } from './map-values.ts';
import type { Words } from './words.ts';

export const en: Words = {
  language: 'English',
  locale: 'en-IN',
  switchLanguage: 'Language',
  title: (shopName) => `Pay ${shopName}`,
  securePayment: 'Secure payment',

  order: {
    summary: 'Your order',
    invoice: 'Order number',
    items: 'Items',
    quantity: (count) => `Quantity ${count}`,
    moreItems: (count) => `and ${count} more`,
    beforeTax: 'Subtotal',
    tax: 'Tax',
    total: 'Total',
    original: 'Price in the shop',
    payBefore: (time) => `Please pay before ${time}.`,
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
    bank: 'Your bank',
    wallet: 'Your wallet',
    search: 'Search',
    noMatch: 'No match. Check the spelling, or choose another way to pay.',
    pickOne: 'Please choose one from the list.',
    upiId: 'UPI ID (optional)',
    upiIdHint: 'For example name@bank. Your UPI app then asks you to approve the payment.',
    upiIdInvalid: 'This UPI ID is not valid. It should look like name@bank.',
    pay: (amount) => `Pay ${amount}`,
    opening: 'Opening the payment page…',
    atProvider: 'You enter your details on the secure page of the payment provider.',
    none: 'This shop has no way to pay set up yet. Please contact the shop.',
    unavailable: 'This way to pay is not available now. Please choose another one.',
    tooMany: 'There were too many tries for this order. Please contact the shop.',
  },

  upi: {
    heading: 'Pay with your UPI app',
    scan: 'Scan this code with any UPI app on your phone.',
    scanElsewhere: 'Or scan this code with a UPI app on another phone.',
    openApp: 'Open a UPI app',
    codeLabel: (amount, shopName) => `QR code to pay ${amount} to ${shopName}`,
    elsewhere: 'Pay on the page of the payment provider instead',
    slow: 'Your bank has not confirmed the payment yet. If you have not paid, open the app or scan the code again. If you have paid, please wait: you do not have to pay again.',
  },

  waiting: {
    heading: 'Waiting for your bank',
    text: 'We are waiting for your bank to confirm the payment. This usually takes a few seconds.',
    stay: 'This page changes by itself. You can safely reload it.',
    continue: 'Continue to the payment page',
    slowHeading: 'Still waiting for your bank',
    slowText:
      'Your bank has not confirmed the payment yet. If you have not paid, open the payment page again. If you have paid, please wait: you do not have to pay again.',
    slowElsewhere:
      'Your bank has not confirmed the payment yet. If an app asks you to approve it, please do so. If you have paid, please wait: you do not have to pay again.',
    openAgain: 'Open the payment page again',
    another: 'Choose another way to pay',
    anotherHint: 'Did you come back without paying?',
    stillOpen:
      'Your bank has a payment for this order in progress. To keep you from paying twice, please wait for its result.',
    notReached:
      'We could not check this payment at the provider just now. Please try again in a moment.',
    refresh: 'Check again',
  },

  paid: {
    heading: 'Payment received',
    already: 'This order is paid. You do not have to pay again.',
    text: (shopName) => `Thank you. ${shopName} has your payment.`,
    returning: (seconds) => `You return to the shop in ${seconds} s.`,
    receipt: 'Receipt',
    paidOn: 'Paid on',
    paidWith: 'Paid with',
    transaction: 'Transaction',
    print: 'Print the receipt',
  },

  checking: {
    heading: 'The shop checks your payment',
    text: 'Your payment arrived, but it differs from the order. The shop looks at it and contacts you. Please do not pay again.',
  },

  failed: {
    heading: 'The payment failed',
    notCharged: 'The order is not paid.',
    reasons: mapValues(failureTable, ({ consumerMessage }) => consumerMessage),
  },

  expired: {
    heading: 'This order has expired',
    text: 'The time to pay is over. Please go back to the shop and order again.',
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

  errors: {
    signedOut: 'This payment page has expired',
    signedOutText:
      'For your safety the page is open for a limited time. If you have paid, the shop is informed of it. Otherwise please go back to the shop and start the payment again.',
    unknown: 'There is no such payment',
    unknownText: 'Please check the address, or go back to the shop.',
    suspended: 'Payments to this shop are paused',
    suspendedText: 'Please contact the shop.',
    otherConsumer: 'This order belongs to another customer',
    otherConsumerText: 'Please go back to the shop, sign in there and start the payment again.',
    busy: 'Too many requests',
    busyText: 'Please wait a few seconds and reload this page.',
    moment: 'One moment, please',
    momentText: 'We cannot show your payment just now. This page tries again by itself.',
    outdated: 'The order has changed since this page was opened. Please check it and pay again.',
  },
};
