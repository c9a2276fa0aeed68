<?php
/** The value of encrypted_payload. */
function seal(string $text, string $accessSecret): string
{
    $nonce = random_bytes(16);
    $sealed = openssl_encrypt($text, 'aes-256-gcm', key_of($accessSecret), OPENSSL_RAW_DATA, $nonce, $tag, '', 16);
    return bin2hex($nonce . $sealed . $tag);
}

/** The text in encrypted_response; throws if it was changed or made with another secret. */
function open_sealed(string $hex, string $accessSecret): string
{
    $bytes = (string) hex2bin($hex);
    [$nonce, $sealed, $tag] = [substr($bytes, 0, 16), substr($bytes, 16, -16), substr($bytes, -16)];
    $text = openssl_decrypt($sealed, 'aes-256-gcm', key_of($accessSecret), OPENSSL_RAW_DATA, $nonce, $tag);
    if ($text === false) {
        throw new UnexpectedValueException('the sealed text was changed or made with another secret');
    }
    return $text;
}

function key_of(string $accessSecret): string
{
    return hash('sha256', substr($accessSecret, strlen('access_secret_')), true);
}
