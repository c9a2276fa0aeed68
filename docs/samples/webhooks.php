<?php
// Receives webhooks: verifies each one, stores it once, and only then answers 200. Needs no extension.
// A job of yours takes the same lock, reads the states, acts, and sets `handled`, as in the sample for Node.

function is_genuine(string $body, string $secret): bool
{
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    if (strlen((string) $key) < 24) { // with an empty key anybody could sign
        throw new RuntimeException('WEBHOOK_SECRET is not the secret of an endpoint');
    }
    [$id, $timestamp] = [$_SERVER['HTTP_WEBHOOK_ID'] ?? '', $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? ''];
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) { // several during a rotation
        if (hash_equals($expected, $signature)) {
            return abs(time() - (int) $timestamp) <= 300;
        }
    }
    return false;
}

function store(array $event, string $folder): string
{
    $lock = fopen("$folder/lock", 'c'); // two requests at once would both find the event new
    flock($lock, LOCK_EX);
    $file = $folder . '/' . basename($event['svc_order_id'] ?? 'test') . '.json';
    $stored = is_file($file) ? json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR) : [];
    if (isset($stored['events'][$event['event_id']])) {
        return 'repeated';
    }
    $stored['events'][$event['event_id']] = $event;
    ['order' => $order, 'transaction' => $transaction, 'sequence' => $sequence] = $event;
    $states = $order ? [$order['svc_order_id'] => "order {$order['status']}"] : [];
    if ($transaction) {
        $kind = $transaction['transaction_type'] === 'payment' ? 'payment' : 'refund';
        $states += [$transaction['svc_transaction_id'] => "$kind {$event['status']}"];
    }
    foreach ($states as $id => $state) {
        // Events may arrive in any order, and an older state must not replace a newer one.
        if ($sequence > ($stored['states'][$id]['sequence'] ?? 0)) {
            $stored['states'][$id] = ['state' => $state, 'sequence' => $sequence] + ($stored['states'][$id] ?? []);
        }
    }
    $json = json_encode($stored, JSON_THROW_ON_ERROR);
    $new = fopen("$file.new", 'w'); // renamed once it is complete: a crash leaves no half of a file
    if (fwrite($new, $json) !== strlen($json) || !fsync($new) || !rename("$file.new", $file)) {
        throw new RuntimeException("$file cannot be written");
    }
    return 'stored';
}

http_response_code(500); // whatever fails below must not be answered 200
$body = (string) file_get_contents('php://input', length: 1_000_000);
if (!is_genuine($body, (string) getenv('WEBHOOK_SECRET'))) {
    http_response_code(400);
    exit('bad signature');
}
$folder = getenv('WEBHOOK_STORE') ?: '/var/lib/shop/webhooks'; // never below the document root
$outcome = store(json_decode($body, true, 512, JSON_THROW_ON_ERROR), $folder);
http_response_code(200);
echo $outcome;
