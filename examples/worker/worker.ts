import { Turnpike, TurnpikeError } from "@turnpike-turns/client"

interface Env {
  TURNPIKE_API_KEY: string
  TURNPIKE_BASE_URL: string
  TURNPIKE_SPACE: string
}

/** Your own sign-in decides who the customer is. Never take it from the body. */
const customerOf = (request: Request) => request.headers.get("x-customer")

/** `POST /chat` with a text streams the agent's answer as text. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/chat" || request.method !== "POST")
      return new Response(null, { status: 404 })
    const customer = customerOf(request)
    if (!customer) return new Response("Sign in.", { status: 401 })
    const turnpike = new Turnpike({ apiKey: env.TURNPIKE_API_KEY, baseUrl: env.TURNPIKE_BASE_URL })
    const body = { space: env.TURNPIKE_SPACE, end_user_ref: customer, text: await request.text(), max_cost_usd: 0.05 }
    const stream = turnpike.turns.stream(body, { signal: request.signal })
    try {
      const { turn_id } = await stream.accepted()
      return new Response(textOf(stream), {
        headers: { "content-type": "text/plain; charset=utf-8", "x-turn": turn_id },
      })
    } catch (error) {
      if (!(error instanceof TurnpikeError)) throw error
      return Response.json({ error: error.code, retry_after: error.retryAfter }, { status: error.status ?? 503 })
    }
  },
}

/** The text of a turn, while the agent writes it. */
function textOf(stream: ReturnType<Turnpike["turns"]["stream"]>): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const write = async () => {
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    try {
      let isEmpty = true
      for await (const event of stream) {
        if (event.type !== "text.delta") continue
        isEmpty = false
        await writer.write(encoder.encode(String(event.data.text)))
      }
      const turn = await stream.result()
      // A short answer can come without deltas.
      if (isEmpty && turn.result) await writer.write(encoder.encode(turn.result))
      if (turn.state !== "done") await writer.write(encoder.encode(`\n[${turn.error?.code ?? turn.state}]`))
      await writer.close()
    } catch (error) {
      await writer.abort(error)
    }
  }
  // A browser that leaves ends the stream; the turn itself continues.
  write().catch(() => {})
  return readable
}
