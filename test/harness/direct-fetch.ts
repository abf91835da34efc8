import { env as bindings } from "cloudflare:workers"

const { NETWORK } = bindings as unknown as { NETWORK: Fetcher }
const viaMiniflare = globalThis.fetch

/**
 * Calls of the stand-ins go to the network as they are. The global fetch of a test passes a worker of miniflare's first, which costs the
 * runtime as much as ours does.
 */
globalThis.fetch = (input: RequestInfo | URL, init?: RequestInit) => {
  const url = input instanceof Request ? input.url : String(input)
  return url.startsWith("http://127.0.0.1:") ? NETWORK.fetch(input, init) : viaMiniflare(input, init)
}
