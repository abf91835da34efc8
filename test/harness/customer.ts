import type { World } from "./world.ts"

export interface SeenRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * A customer's server with one REST tool. It records its requests and repeats its answer for a
 * repeated key.
 */
export function serveCustomer(
  world: Pick<World, "serve">,
  {
    host = "api.customer.com",
    answer,
  }: { host?: string; answer?: (request: SeenRequest) => Response | Promise<Response> } = {},
) {
  const requests: SeenRequest[] = []
  const effects = new Map<string, string>()
  world.serve(host, async (request) => {
    const seen = {
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    }
    requests.push(seen)
    const key = seen.headers["idempotency-key"] ?? ""
    effects.set(key, seen.body)
    return answer ? answer(seen) : Response.json({ order: "A-1", status: "shipped" })
  })
  return {
    host,
    /** Every request, in order of arrival. */
    requests,
    /** The effects by Idempotency-Key, of a server that deduplicates. */
    effects,
  }
}

/**
 * A space whose agent has no tools and no history, so that its first call counts only the text and
 * 80 tokens of framing.
 */
export const BARE = { manifest: { builtin_tools: [], history: { max_turns: 0 } } }

/** A REST tool on that server. */
export const orderTool = (host = "api.customer.com", overrides: object = {}) => ({
  name: "lookup_order",
  description: "Finds an order by its id.",
  input_schema: {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
  },
  request: {
    method: "POST",
    url: `https://${host}/orders/{{input.id}}`,
    headers: { authorization: "Bearer {{secrets.TOKEN}}" },
  },
  ...overrides,
})
