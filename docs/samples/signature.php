<?php
// Currencies with more than two decimals; all others are signed with two.
const DECIMALS = ['BHD' => 3, 'IQD' => 3, 'JOD' => 3, 'KWD' => 3, 'LYD' => 3, 'OMR' => 3, 'TND' => 3, 'CLF' => 4, 'UYW' => 4];
const FINAL_STATUSES = ['failed', 'succeeded', 'reversed'];

/** Returns 'valid', or 'unsigned' while the service has not signed yet; throws if it cannot be trusted. */
function verify_signature(array $transaction, string $invoiceId, string $accessSecret, string $version = 'v3'): string
{
    ['transaction_type' => $type, 'svc_signature' => $signature, 'transaction_amount' => $amount] = $transaction;
    $currency = $transaction['transaction_currency'] ?? '';
    $status = $transaction[$type === 'payment' ? 'payment_status' : 'refund_status'];
    $isClear = $status !== null && ($type === 'payment' || $transaction['payment_status'] === null);
    if ($signature === null && $isClear) {
        if (!in_array($status, FINAL_STATUSES, true)) {
            return 'unsigned';
        }
        if ($status !== 'succeeded' && ($amount === null || $currency === '')) {
            return 'unsigned';
        }
    }
    if ($transaction['signature_version'] !== $version) {
        throw new UnexpectedValueException('wrong signature version');
    }
    if ($amount === null || !preg_match('/^[A-Z]{3}$/D', $currency)) {
        throw new UnexpectedValueException('no amount or currency');
    }
    $amountText = number_format($amount, DECIMALS[$currency] ?? 2, '.', '');
    $parts = [$invoiceId, $transaction['svc_transaction_id'], $amountText, $currency];
    if ($version === 'v3') {
        array_push($parts, $status, $type);
    }
    $expected = hash_hmac('sha256', implode('|', $parts), $accessSecret);
    if (hash_equals($expected, $signature ?? '')) {
        return 'valid';
    }
    throw new UnexpectedValueException('invalid signature');
}
