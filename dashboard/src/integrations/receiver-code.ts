import { CLIENT_PACKAGE, PYTHON_MODULE } from "../api/client-package.ts"

/** A server that receives events: it checks each signature with the client. */
export const RECEIVER_TYPESCRIPT = `import { createServer } from "node:http"
import { verifyWebhook } from "${CLIENT_PACKAGE}"

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

/** The same in Python. */
export const RECEIVER_PYTHON = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from ${PYTHON_MODULE} import WebhookVerificationError, verify_webhook

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = verify_webhook(body, self.headers.items(), os.environ["TURNPIKE_WEBHOOK_SECRET"])
            print(event.type, event.id, flush=True)
            self.send_response(204)
        except WebhookVerificationError:
            self.send_response(400)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()`
