<?php
// Token, order, enquiry without extensions. Needs ACCESS_KEY and ACCESS_SECRET in the environment.

/** Throws with the error code of the service in the message. */
function call(string $path, array $body, ?string $token = null): array
{
    $service = getenv('SERVICE_URL') ?: 'http://127.0.0.1:8080';
    $headers = ['Content-Type: application/json'];
    if ($token !== null) {
        $headers[] = "Authorization: Bearer $token";
    }
    $reply = file_get_contents($service . $path, false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => $headers,
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 15,
        'ignore_errors' => true, // an error reply has a body, too
    ]]));
    if ($reply === false) {
        throw new RuntimeException("no reply from $service");
    }
    $decoded = json_decode($reply, true, 512, JSON_THROW_ON_ERROR);
    if (isset($decoded['error'])) {
        $error = $decoded['error'];
        throw new RuntimeException("{$error['svc_error_code']}: {$error['svc_merchant_message']}");
    }
    return $decoded;
}

$token = call('/api/v3/generate-token', [
    'access_key' => getenv('ACCESS_KEY'),
    'access_secret' => getenv('ACCESS_SECRET'),
])['token'];

$order = call('/api/v3/create-order', [
    'invoice_id' => 'INV-' . bin2hex(random_bytes(8)),
    'currency' => 'INR',
    'total_amount' => '118.00',
    'user' => ['email' => 'asha@example.com', 'first_name' => 'Asha', 'mobile_number' => '9876543210'],
    'shipping_address' => ['address_1' => '12 MG Road', 'city' => 'Bengaluru', 'pincode' => '560001'],
    'order_line_items' => [['title' => 'Tea', 'rate' => '118.00', 'quantity' => 1]],
], $token);
echo json_encode($order), "\n";

$enquiry = call('/api/v3/transaction-enquiry', ['invoice_id' => $order['invoice_id']], $token);
echo json_encode($enquiry), "\n";
