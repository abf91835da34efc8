import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, createServer as createTcpServer } from "node:net"

interface Effect {
  /** The number of requests with this key. */
  asked: number
  body: string
}

/**
 * A customer's REST server that deduplicates by Idempotency-Key: each key has one effect, and every
 * repeat gets the same answer.
 */
export async function startCustomerServer() {
  const effects = new Map<string, Effect>()
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    response.setHeader("content-type", "application/json")
    if (pathname.startsWith("/effects/")) {
      const turn = pathname.slice("/effects/".length)
      return response.end(JSON.stringify(Object.fromEntries([...effects].filter(([key]) => key.startsWith(turn)))))
    }
    const body = `${request.method} ${pathname} ${await bodyOf(request)}`
    const key = String(request.headers["idempotency-key"])
    const known = effects.get(key)
    if (known && known.body !== body) {
      response.statusCode = 409
      return response.end(JSON.stringify({ error: `the key ${key} was used for another call` }))
    }
    effects.set(key, { asked: (known?.asked ?? 0) + 1, body })
    // It also serves images: each picture contains the key that requested it.
    const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from(key)]).toString("base64")
    const made = pathname.endsWith("/images/generations") ? { data: [{ b64_json: picture }] } : {}
    response.end(JSON.stringify({ done: pathname, ...made }))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => server.closeAllConnections() ?? server.close() }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** A server whose answers are not valid HTTP. */
export async function startGarbageServer() {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end("\x16\x03\x01 this is no HTTP \r\n\r\n"))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}
