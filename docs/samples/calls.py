"""Token, order, enquiry with the standard library. Needs ACCESS_KEY and ACCESS_SECRET in the environment."""
import json
import os
import urllib.error
import urllib.request
import uuid

SERVICE = os.environ.get("SERVICE_URL", "http://127.0.0.1:8080")


class ServiceError(Exception):
    """An error reply: branch on `code`, show `consumer_message` to the consumer."""

    def __init__(self, error):
        super().__init__(f"{error['svc_error_code']}: {error['svc_merchant_message']}")
        self.code = error["svc_error_code"]
        self.consumer_message = error["svc_consumer_message"]


def call(path, body, token=None):
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(SERVICE + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return json.load(response)
    except urllib.error.HTTPError as reply:
        raise ServiceError(json.load(reply)["error"]) from None


token = call(
    "/api/v3/generate-token",
    {"access_key": os.environ["ACCESS_KEY"], "access_secret": os.environ["ACCESS_SECRET"]},
)["token"]

order = call(
    "/api/v3/create-order",
    {
        "invoice_id": f"INV-{uuid.uuid4()}",
        "currency": "INR",
        "total_amount": "118.00",
        "user": {"email": "asha@example.com", "first_name": "Asha", "mobile_number": "9876543210"},
        "shipping_address": {"address_1": "12 MG Road", "city": "Bengaluru", "pincode": "560001"},
        "order_line_items": [{"title": "Tea", "rate": "118.00", "quantity": 1}],
    },
    token,
)
print(json.dumps(order))

enquiry = call("/api/v3/transaction-enquiry", {"invoice_id": order["invoice_id"]}, token)
print(json.dumps(enquiry))
