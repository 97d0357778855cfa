"""A receiver written with the published `standardwebhooks` library. It prints one line of JSON for each delivery.

Usage: receiver.py CERTIFICATE KEY SECRET_FILE
"""

import json
import ssl
import sys
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from standardwebhooks import Webhook, WebhookVerificationError

certificate, key, secret_file = sys.argv[1:]
OTHER_SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY="
output_lock = Lock()


def print_line(report):
    with output_lock:
        print(json.dumps(report), flush=True)


def refused(webhook, body, headers):
    try:
        webhook.verify(body, headers)
        return False
    except WebhookVerificationError:
        return True


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        report = self.check(body, {name.lower(): value for name, value in self.headers.items()})
        print_line(report)
        self.send_response(204 if report["accepted"] else 400)
        self.send_header("content-length", "0")
        self.end_headers()

    def check(self, body, headers):
        with open(secret_file, encoding="utf-8") as file:
            webhook = Webhook(file.read().strip())
        old = datetime.now(tz=timezone.utc) - timedelta(minutes=6)
        # A valid signature of an old timestamp.
        replayed = {
            "webhook-id": headers["webhook-id"],
            "webhook-timestamp": str(int(old.timestamp())),
            "webhook-signature": webhook.sign(headers["webhook-id"], old, body.decode()),
        }
        changed = bytearray(body)
        changed[1] ^= 1
        try:
            event = webhook.verify(body, headers)
        except WebhookVerificationError as error:
            event = None
            print(error, file=sys.stderr)
        return {
            "id": headers["webhook-id"],
            "accepted": event is not None,
            "event": event,
            "signatures": len(headers["webhook-signature"].split(" ")),
            "changed_byte_refused": refused(webhook, bytes(changed), headers),
            "old_timestamp_refused": refused(webhook, body, replayed),
            "wrong_secret_refused": refused(Webhook(OTHER_SECRET), body, headers),
        }

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
print_line({"port": server.server_address[1]})
server.serve_forever()
