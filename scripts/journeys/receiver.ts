import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

export interface Receiver {
  url: string
  /** What it answers from now on. */
  status: number
  /** Method and path of each request. */
  asked: string[]
  bodies: string[]
  stop(): Promise<void>
}

/** A server of somebody else on this machine: a shop, a receiver of webhooks, one that sends emails. */
export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { status: 200, url: "", asked: [], bodies: [], stop: async () => {} }
  const server = createServer(async (request, response) => {
    receiver.asked.push(`${request.method} ${request.url}`)
    receiver.bodies.push(await text(request))
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
