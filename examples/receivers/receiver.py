# A receiver with the standard library of Python alone.
#
#   WEBHOOK_SECRET=whsec_… PORT=4000 python3 receiver.py
import hashlib, hmac, json, os, re, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def verify(body: bytes, header: str, secrets: list) -> None:
    """Raises ValueError, unless the raw body was signed with one of the secrets in the last five minutes."""
    if not all(secret.startswith("whsec_") for secret in secrets):
        raise ValueError("a secret is not the whole whsec_… text")
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    times = [value for key, value in pairs if key == "t"]
    if len(header) > 2048 or len(times) != 1 or not re.fullmatch("[0-9]{1,12}", times[0]):
        raise ValueError("Service-Signature is malformed")
    if abs(int(time.time()) - int(times[0])) > 300:
        raise ValueError("the request is old, or this clock is wrong")
    signed = times[0].encode() + b"." + body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode() for secret in secrets]
    received = [value.encode() for key, value in pairs if key == "v1"]
    if not any(hmac.compare_digest(one, other) for one in expected for other in received):
        raise ValueError("no signature matches")


# While you rotate the secret: the old and the new one, separated by a comma.
secrets = os.environ["WEBHOOK_SECRET"].split(",")
# An event can come twice, with the same id. In production, use a database.
handled = set()


def handle(event: dict) -> None:
    if event["id"] in handled:
        return
    if event["event"] == "prompt.label.moved":
        prompt, label = event["data"]["prompt"], event["data"]["label"]
        print(f"{event['id']}: {prompt['ref']} {label['name']} is now at version {label['versionNumber']}", flush=True)
    handled.add(event["id"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        status = 204
        try:
            length = int(self.headers.get("Content-Length", ""))
            if not 0 <= length <= 1024 * 1024:
                raise ValueError("the body is too large")
            body = self.rfile.read(length)
            verify(body, self.headers.get("Service-Signature", ""), secrets)
            handle(json.loads(body))
        except ValueError as error:
            self.log_error("%s", error)
            status = 400
        self.send_response(status)
        self.end_headers()


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"Listening on port {server.server_port}", flush=True)
server.serve_forever()
