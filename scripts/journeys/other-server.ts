import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

export interface OtherServer {
  url: string
  /** The status of the following responses. */
  status: number
  /** The method and path of each request. */
  asked: string[]
  bodies: string[]
  stop(): Promise<void>
}

/** Starts a server of another party: a shop, a webhook receiver or an email service. */
export async function startOtherServer(): Promise<OtherServer> {
  const other: OtherServer = { status: 200, url: "", asked: [], bodies: [], stop: async () => {} }
  const server = createServer(async (request, response) => {
    other.asked.push(`${request.method} ${request.url}`)
    other.bodies.push(await text(request))
    response.writeHead(other.status, { "content-type": "application/json" })
    response.end(JSON.stringify({ asked: request.url, status: "shipped" }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  other.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  other.stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return other
}
