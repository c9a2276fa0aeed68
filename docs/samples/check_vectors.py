"""Checks signature.py and sealed.py against a file of vectors: python3 check_vectors.py vectors.json"""
import json
import sys

from signature import InvalidSignature, verify_signature

try:
    from cryptography.exceptions import InvalidTag
    from sealed import open_sealed, seal
except ImportError:
    open_sealed = None

with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)
failures = 0


def check(name, actual, expected):
    global failures
    if actual != expected:
        failures += 1
        print(f"{name}: {actual} instead of {expected}")


for vector in vectors["signatures"]:
    try:
        outcome = verify_signature(
            vector["transaction"], vector["invoice_id"], vector["access_secret"], vector["version"]
        )
    except InvalidSignature:
        outcome = "invalid"
    check(vector["name"], outcome, vector["outcome"])

for vector in vectors["sealed"] if open_sealed else []:
    secret, text = vector["access_secret"], vector["text"]
    try:
        opened = open_sealed(vector["hex"], secret)
    except InvalidTag:
        opened = None
    check(vector["name"], opened, text)
    if text is not None:
        check(vector["name"] + ", sealed here", open_sealed(seal(text, secret), secret), text)

sealed_count = len(vectors["sealed"]) if open_sealed else "no (pip install cryptography)"
print(f"{len(vectors['signatures'])} signatures and {sealed_count} sealed payloads, {failures} wrong")
sys.exit(1 if failures else 0)
