<?php
// Checks signature.php and sealed.php against a file of vectors: php check-vectors.php vectors.json
require __DIR__ . '/signature.php';
require __DIR__ . '/sealed.php';

$vectors = json_decode(file_get_contents($argv[1]), true, 512, JSON_THROW_ON_ERROR);
$failures = 0;
$check = function (string $name, ?string $actual, ?string $expected) use (&$failures): void {
    if ($actual !== $expected) {
        $failures += 1;
        echo "$name: ", json_encode($actual), ' instead of ', json_encode($expected), "\n";
    }
};
$attempt = function (callable $call, ?string $otherwise): ?string {
    try {
        return $call();
    } catch (UnexpectedValueException) {
        return $otherwise;
    }
};

foreach ($vectors['signatures'] as $vector) {
    $verify = fn () => verify_signature($vector['transaction'], $vector['invoice_id'], $vector['access_secret'], $vector['version']);
    $check($vector['name'], $attempt($verify, 'invalid'), $vector['outcome']);
}
foreach ($vectors['sealed'] as ['name' => $name, 'hex' => $hex, 'access_secret' => $secret, 'text' => $text]) {
    $check($name, $attempt(fn () => open_sealed($hex, $secret), null), $text);
    if ($text !== null) {
        $check("$name, sealed here", open_sealed(seal($text, $secret), $secret), $text);
    }
}
echo count($vectors['signatures']), ' signatures and ', count($vectors['sealed']), " sealed payloads, $failures wrong\n";
exit($failures === 0 ? 0 : 1);
