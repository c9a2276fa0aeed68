"""Receives webhooks: verifies each one, stores it once, and only then answers 200. Standard library only.
A job of yours reads `select id, state from states where state is not handled`, acts, and then sets `handled`. It
delivers on "order completed", not on "payment succeeded", whose amount may differ from the order's.
"""
import base64
import hmac
import json
import os
import sqlite3
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
STORE = os.environ.get("WEBHOOK_STORE", "webhooks.db")
if len(KEY) < 24:  # with an empty key anybody could sign
    raise SystemExit("WEBHOOK_SECRET is not the secret of an endpoint")
# Events may arrive in any order, and an older state must not replace a newer one.
SET_STATE = """insert into states (id, state, sequence) values (?, ?, ?)
    on conflict (id) do update set state = excluded.state, sequence = excluded.sequence
    where excluded.sequence > states.sequence"""


def is_genuine(headers, body):
    timestamp = headers["webhook-timestamp"]
    content = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, content, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()  # several during a rotation
    is_signed = any(hmac.compare_digest(expected, signature) for signature in signatures)
    return is_signed and abs(time.time() - int(timestamp)) <= 300


def store(event):
    order, transaction, sequence = event["order"], event["transaction"], event["sequence"]
    with closing(sqlite3.connect(STORE, isolation_level="IMMEDIATE")) as db, db:  # all or nothing
        row = (event["event_id"], event["event_type"], json.dumps(event))
        if db.execute("insert or ignore into events values (?, ?, ?)", row).rowcount == 0:
            return "repeated"
        if order:
            db.execute(SET_STATE, (order["svc_order_id"], f"order {order['status']}", sequence))
        if transaction:
            kind = "payment" if transaction["transaction_type"] == "payment" else "refund"
            db.execute(SET_STATE, (transaction["svc_transaction_id"], f"{kind} {event['status']}", sequence))
    return "stored"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):  # an exception closes the connection, and the service sends the event again
        body = self.rfile.read(min(int(self.headers["content-length"]), 1_000_000))
        genuine = is_genuine(self.headers, body)
        outcome = store(json.loads(body)) if genuine else "bad signature"
        self.send_response(200 if genuine else 400)
        self.end_headers()
        self.wfile.write(outcome.encode())


with closing(sqlite3.connect(STORE)) as database:
    database.executescript("""create table if not exists events (id text primary key, type text, body text);
        create table if not exists states (id text primary key, state text, sequence integer, handled text)""")
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("WEBHOOK_PORT", 3001))), Receiver).serve_forever()
