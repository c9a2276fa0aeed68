import hashlib
import hmac
import re
from decimal import Decimal

# Currencies with more than two decimals; all others are signed with two.
DECIMALS = {"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4}
FINAL = ("failed", "succeeded", "reversed")


class InvalidSignature(Exception):
    """Do not trust the transaction."""


def verify_signature(transaction, invoice_id, access_secret, version="v3"):
    """Returns "valid", or "unsigned" while the service has not signed yet. Raises InvalidSignature otherwise."""
    kind, signature = transaction["transaction_type"], transaction["svc_signature"]
    amount, currency = transaction["transaction_amount"], transaction["transaction_currency"] or ""
    status = transaction["payment_status" if kind == "payment" else "refund_status"]
    is_clear = bool(status) and (kind == "payment" or transaction["payment_status"] is None)
    if signature is None and is_clear:
        if status not in FINAL:
            return "unsigned"
        if status != "succeeded" and (amount is None or currency == ""):
            return "unsigned"
    if transaction["signature_version"] != version:
        raise InvalidSignature("wrong signature version")
    if amount is None or not re.fullmatch("[A-Z]{3}", currency):
        raise InvalidSignature("no amount or currency")
    amount_text = f"{Decimal(str(amount)):.{DECIMALS.get(currency, 2)}f}"
    parts = [invoice_id, transaction["svc_transaction_id"], amount_text, currency]
    if version == "v3":
        parts += [status or "", kind]
    expected = hmac.new(access_secret.encode(), "|".join(parts).encode(), hashlib.sha256).hexdigest()
    if hmac.compare_digest(expected.encode(), (signature or "").encode()):
        return "valid"
    raise InvalidSignature("invalid signature")
