/** The rules by which a field of a transaction gets its value, and by which other reports lose: one sentence each. */

export const ruleSentences = {
  // What decides the status of a payment.
  'highest-status': 'The highest status that was reported counts, whatever arrived last.',
  'captured-in-full': 'The captures come to the full amount, so the payment has succeeded.',
  'captured-in-part': 'Only a part is captured, so the payment stays authorized.',
  'captured-and-rest-voided':
    'A part was captured and the rest was voided, so that part is the payment.',
  'captured-unknown-amount': 'A capture succeeded, although its amount is not known.',
  'paid-in-part':
    'The provider approved or captured only a part, and a payment in one step has no later capture.',
  voided: 'The payment was voided.',
  'void-pending': 'A void is pending.',
  // How another value is chosen.
  'highest-report': 'The report with the highest status that has the field sets it.',
  'own-request': 'We requested it, and our own value stays.',
  'own-record':
    'The id is that of the payment or authorisation itself; its captures and voids have others.',
  'late-payment':
    'The account refunds payments that succeed after their order lapsed or was cancelled.',
  earliest: 'The earliest time that was reported counts.',
  'last-capture': 'The payment was finished by its last capture, or by the void of the rest.',
  'captures-counted':
    'Each capture that succeeded and was not voided counts once, up to the total that the provider reports.',
  'captured-total': 'The captures that count decide.',
  'authorized-amount':
    'Until the payment is captured in full, the authorisation decides, and not its captures.',
  'offer-difference':
    'The provider names an offer: its discount is what is missing to the amount of the order. It counts only if the provider’s order has that amount.',
  parts:
    'A refund that is split stays open while a part of it is open. Then what reached the consumer counts, and it has failed only if nothing did.',
  'refund-voided': 'The refund was voided, so it has failed.',
  'only-while-failed': 'A failure is shown only while the status is failed.',
  'only-when-final': 'It is shown only once the status is final.',
  'time-passed': 'Time decided: the order lapsed, or nothing was captured for an hour.',
  'reported-flags': 'A flag that one report raises stays.',
  'follows-from-state':
    'It follows from the state of the transaction and from what the order expects.',
  'another-payment': 'Another payment of the order counts.',
  'refunds-elsewhere':
    'The provider says that more was refunded than the refunds that are known here.',
  hold: 'The shop captures the payment itself. The hold counts from the authorisation, with the days that were set when the payment was started.',
  operations:
    'The shop requested it. What became of it follows from what the provider reports about the payment.',
  disputes:
    'A final result of a dispute counts above everything else that was reported about it, a lost one most. Otherwise its newest report does.',
  'disputes-and-refunds': 'It follows from the disputes of the payment and from its refunds.',
  'stored-differently':
    'The stored value is not the one that the reports give: "order rebuild" corrects it.',
  // Why another report does not set it.
  'also-reported': 'It says the same. The first report of a value sets it.',
  'later-time':
    'Of reports with the same status, the one with the later time of the provider decides.',
  'delivery-key':
    'Of reports with the same status and time, the key of the delivery decides, so that the order of arrival does not.',
  'report-before-request':
    'Of the same status, what the provider reports decides, and not what we requested.',
  'without-effect': 'It reports a capture or void without effect, or a success that was voided.',
  'other-record': 'It is about another record of the same transaction.',
  'other-status': 'Only reports of the present status count.',
  'capture-not-done': 'The capture is pending or has failed.',
  'capture-voided': 'The capture was voided.',
  'above-captured-total': 'The provider reports a lower total of all captures.',
  'one-step': 'The payment was made in one step, so it cannot be captured again.',
  'void-failed': 'The void has failed.',
  'void-of-capture': 'It voids a capture, and not the payment.',
} as const;

export type Rule = keyof typeof ruleSentences;
