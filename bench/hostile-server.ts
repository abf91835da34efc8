import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const MiB = 1024 * 1024

/** The results of the MCP server's tool by the path of the server. Their size is the maximum that is read. */
const RESULTS: Record<string, () => object> = {
  text: () => ({ content: [{ type: "text", text: "ä".repeat(2.9 * MiB) }] }),
  image: () => ({ content: [{ type: "image", mimeType: "image/png", data: "A".repeat(5.9 * MiB) }] }),
  structured: () => ({ content: [], structuredContent: Object.fromEntries(texts(49_000)) }),
  schema: () => ({ content: [], structuredContent: { word: `${"a".repeat(60_000)}!` } }),
}

const texts = (count: number) => Array.from({ length: count }, (_, n) => [`key${n}`, "x".repeat(100)] as const)

/** Starts a hostile server of a customer: MCP servers at /mcp/KIND, and endless responses at all other paths. */
export async function startHostileServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const answers = new Map<string, string>()
  const server = createServer((request, response) => {
    const kind = /^\/mcp\/(\w+)$/.exec(request.url ?? "")?.[1]
    if (kind) void speakMcp(kind, answers, request, response).catch(() => response.destroy())
    else sendForEver(response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function sendForEver(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, "x")
  response.writeHead(200, { "content-type": "text/plain" })
  const send = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on("drain", send)
  send()
}

async function speakMcp(
  kind: string,
  answers: Map<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  if (request.method !== "POST") return void response.writeHead(405).end()
  const { id, method } = JSON.parse(Buffer.concat(pieces).toString()) as { id?: number; method: string }
  if (id === undefined) return void response.writeHead(202).end()
  if (!answers.has(kind)) answers.set(kind, JSON.stringify(RESULTS[kind]?.()))
  const result = method === "tools/call" ? answers.get(kind) : JSON.stringify(plainResult(method))
  response.writeHead(200, { "content-type": "application/json" })
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
}

function plainResult(method: string): object {
  if (method === "tools/list") {
    const outputSchema = { type: "object", properties: { word: { type: "string", pattern: "^(a|a)*$" } } }
    return { tools: [{ name: "attack", inputSchema: { type: "object" }, outputSchema }] }
  }
  const serverInfo = { name: "hostile", version: "1" }
  return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }
}
