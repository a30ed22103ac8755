"""Receives webhooks at port 9000 or another, and refuses those not signed with the secret in `shop.secret`."""

import base64, hashlib, hmac, json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(open("shop.secret").read().strip().removeprefix("whsec_"))
TOLERANCE_S = 300

def genuine(headers, body):
    message_id, sent = headers["webhook-id"], headers["webhook-timestamp"]
    if not message_id or not sent or abs(time.time() - int(sent)) > TOLERANCE_S:
        return False
    signed = f"{message_id}.{sent}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    given = (headers["webhook-signature"] or "").split()
    return any(hmac.compare_digest(signature, f"v1,{expected}") for signature in given)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not genuine(self.headers, body):
            self.send_response(401)
        else:
            job = json.loads(body)
            print("due:", job["id"], job["payload"], flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print(f"receiving at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
