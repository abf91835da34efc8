import { MODEL_PIN } from "./models.ts"
import type { World } from "./world.ts"

/** The address of a scripted provider, as OPENAI_BASE_URL. */
export const PROVIDER_URL = "https://model.test/v1"
export const PROVIDED_PIN = MODEL_PIN

/** The provider's answer to one call. It sends pieces with `pauseMs` between them. */
export interface ProviderScript {
  /** An HTTP error instead of an answer. */
  status?: number
  /** The message and code of that error. */
  message?: string
  code?: string
  /** Headers of the answer or of the error. */
  headers?: Record<string, string>
  thinking?: string[]
  words?: string[]
  calls?: { name: string; arguments: string }[]
  pauseMs?: number
  /** The number of pieces after which the connection breaks or falls silent. */
  breaksAfter?: number
  silentAfter?: number
  /** False if the answer ends without token counts. */
  counts?: boolean
}

/** The content that the provider sent in one call. */
export interface SentAnswer {
  n: number
  /** The caller, as the test names it. */
  worker: string
  /** The key or token of the request. */
  key: string
  thoughts: { text: string; at: number }[]
  words: { text: string; at: number }[]
  /** The time at which the caller disconnected; null if it did not. */
  leftAt: number | null
  whole: boolean
  counts: boolean
}

export const SCRIPTED_TOKENS = 50
export const tokensOf = ({ words, thoughts }: SentAnswer) => 2 * (words.length + thoughts.length) + 1

/** The pieces that certainly arrived before the caller disconnected. */
export const arrived = ({ leftAt }: SentAnswer, pieces: SentAnswer["words"]) =>
  pieces.filter(({ at }) => leftAt === null || at < leftAt)

export interface Asked {
  model: string
  messages: { role: string; content: unknown }[]
  tools?: { function: { name: string } }[]
}

/**
 * A provider with OpenAI's chat completions API. It follows a script on the test's clock and counts
 * what it sends.
 */
export function scriptProvider(
  { clock }: Pick<World, "clock">,
  answer: (asked: Asked, n: number, key: string) => ProviderScript,
) {
  const sent: SentAnswer[] = []
  const asks: Asked[] = []

  async function serve(request: Request, worker = "", signal: AbortSignal = request.signal): Promise<Response> {
    const asked = (await request.json()) as Asked
    const n = sent.length
    const key = (request.headers.get("authorization") ?? "").replace(/^Bearer /, "")
    asks.push(asked)
    const script = answer(asked, n, key)
    const { status, thinking = [], words = [], calls = [], pauseMs = 0, counts = true } = script
    const leftAt = signal.aborted ? clock.ms() : null
    const made: SentAnswer = { n, worker, key, thoughts: [], words: [], leftAt, whole: false, counts }
    sent.push(made)
    if (status)
      return Response.json(
        {
          error: { message: script.message ?? `no, ${key}`, type: "error", ...(script.code && { code: script.code }) },
        },
        { status, headers: script.headers ?? {} },
      )
    const encoder = new TextEncoder()
    const pieces = [
      ...thinking.map((text) => ({ kind: "thoughts" as const, text })),
      ...words.map((text) => ({ kind: "words" as const, text })),
    ]
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const tell = (delta: object, more: object = {}) => {
          const chunk = {
            id: "c",
            created: 1,
            model: "m",
            choices: [{ index: 0, delta, finish_reason: null, ...more }],
          }
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`))
        }
        signal.addEventListener("abort", () => {
          made.leftAt = clock.ms()
        })
        try {
          for (const [at, { kind, text }] of pieces.entries()) {
            if (at === script.silentAfter) await clock.sleep(1e9, signal)
            if (at === script.breaksAfter) {
              // Wait until the earlier pieces are read: an error discards what is still buffered in a stream.
              while ((controller.desiredSize ?? 1) < 1) await clock.sleep(1, signal)
              await clock.sleep(1, signal)
              throw new Error("the connection breaks")
            }
            if (pauseMs > 0) await clock.sleep(pauseMs, signal)
            tell(kind === "words" ? { content: text } : { reasoning_content: text })
            made[kind].push({ text, at: clock.ms() })
          }
          for (const [index, call] of calls.entries()) {
            tell({ tool_calls: [{ index, id: `call_${n}_${index}`, type: "function", function: call }] })
          }
          tell({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" })
          if (counts) {
            const usage = { prompt_tokens: SCRIPTED_TOKENS, completion_tokens: tokensOf(made) }
            const last = { id: "c", created: 1, model: "m", choices: [], usage }
            controller.enqueue(encoder.encode(`data: ${JSON.stringify(last)}\n\n`))
          }
          controller.enqueue(encoder.encode("data: [DONE]\n\n"))
          made.whole = true
          controller.close()
        } catch (error) {
          controller.error(error)
        }
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream", ...script.headers } })
  }

  return { sent, asks, serve }
}
