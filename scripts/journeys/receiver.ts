import { once } from "node:events"
import { createServer } from "node:http"

/** A customer's server on this machine: it answers everything with `status` and what was asked for. */
export async function startReceiver() {
  const receiver = { status: 200, url: "", asked: [] as string[], stop: async () => {} }
  const server = createServer((request, response) => {
    receiver.asked.push(`${request.method} ${request.url}`)
    request.resume()
    response.writeHead(receiver.status, { "content-type": "application/json" })
    response.end(JSON.stringify({ asked: request.url, status: "shipped" }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  receiver.stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return receiver
}
