/** A server that receives events: it checks each signature with the client. */
export const RECEIVER_TYPESCRIPT = `import { createServer } from "node:http"
import { verifyWebhook } from "turnpike-client"

createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  try {
    const event = await verifyWebhook(Buffer.concat(parts), request.headers, process.env.TURNPIKE_WEBHOOK_SECRET)
    console.log(event.type, event.id)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(process.env.PORT ?? 3000)`

/** The same in Python, with its standard library alone. */
export const RECEIVER_PYTHON = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = base64.b64decode(os.environ["TURNPIKE_WEBHOOK_SECRET"].removeprefix("whsec_"))

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        moment = self.headers.get("webhook-timestamp", "0")
        signed = b".".join([self.headers.get("webhook-id", "").encode(), moment.encode(), body])
        wanted = b"v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest())
        given = self.headers.get("webhook-signature", "").encode().split()
        is_ours = any(hmac.compare_digest(one, wanted) for one in given) and abs(time.time() - int(moment)) < 300
        if is_ours:
            event = json.loads(body)
            print(event["type"], event["id"], flush=True)
        self.send_response(204 if is_ours else 400)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()`
