#!/bin/sh
# Token, order, enquiry with curl. Needs ACCESS_KEY and ACCESS_SECRET in the environment.
set -eu
service=${SERVICE_URL:-http://127.0.0.1:8080}
invoice=INV-$(date +%s)-$$

token=$(curl -sS "$service/api/v3/generate-token" \
  -d "{\"access_key\":\"$ACCESS_KEY\",\"access_secret\":\"$ACCESS_SECRET\"}" |
  sed 's/.*"token":"\([^"]*\)".*/\1/')

curl -sS "$service/api/v3/create-order" -H "Authorization: Bearer $token" -d '{
  "invoice_id": "'"$invoice"'", "currency": "INR", "total_amount": 118,
  "user": {"email": "asha@example.com", "first_name": "Asha", "mobile_number": "9876543210"},
  "shipping_address": {"address_1": "12 MG Road", "city": "Bengaluru", "pincode": "560001"},
  "order_line_items": [{"title": "Tea", "rate": 118, "quantity": 1}]}'

curl -sS "$service/api/v3/transaction-enquiry" -H "Authorization: Bearer $token" \
  -d "{\"invoice_id\": \"$invoice\"}"
