import hashlib
import os

from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # pip install cryptography


def seal(text, access_secret):
    """The value of `encrypted_payload`."""
    nonce = os.urandom(16)
    return (nonce + AESGCM(key_of(access_secret)).encrypt(nonce, text.encode(), None)).hex()


def open_sealed(hex_text, access_secret):
    """The text in `encrypted_response`. Raises InvalidTag if it was changed or made with another secret."""
    sealed = bytes.fromhex(hex_text)
    return AESGCM(key_of(access_secret)).decrypt(sealed[:16], sealed[16:], None).decode()


def key_of(access_secret):
    return hashlib.sha256(access_secret.replace("access_secret_", "", 1).encode()).digest()
