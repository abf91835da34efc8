import { callModel } from "../../src/agent/call-model.ts"
import type { ModelAnswer, ModelCall, ToolCallPart } from "../../src/agent/engine.ts"
import type { ModelUsage } from "../../src/agent/token-names.ts"
import type { RecordedStream } from "./recorded.ts"
import { textMessage } from "./steps.ts"

const account = { apiKey: "sk-test", baseUrl: "https://model.test/v1" }

const tool = (name: string) => ({ name, description: name, inputSchema: { type: "object", properties: {} } })

/** The call that recorded streams answer. */
export const replayedCall = (engine: RecordedStream["engine"], more: Partial<ModelCall> = {}): ModelCall => ({
  engine,
  model: "m",
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [tool("look"), tool("delete")],
  attempt: 0,
  ...more,
})

/** The bytes of a stream with these frames. A single object that is no event is a JSON body. */
export function bytesOfFrames(
  { engine, frames }: Pick<RecordedStream, "engine" | "frames">,
  until = frames.length,
): string {
  const [only] = frames
  const isBody = frames.length === 1 && typeof only === "object" && ("object" in only || "content" in only)
  if (isBody) return until === 0 ? "" : JSON.stringify(only, null, 2)
  return frames
    .slice(0, until)
    .map((frame) => {
      if (typeof frame === "string") return frame.startsWith(":") ? `${frame}\n\n` : `data: ${frame}\n\n`
      const type = (frame as { type?: unknown }).type
      const name = engine !== "openai-compatible" && typeof type === "string" ? `event: ${type}\n` : ""
      return `${name}data: ${JSON.stringify(frame)}\n\n`
    })
    .join("")
}

/** The outcome of a call: the answer or the error, the text that a reader saw, and the provider's counts until then. */
export interface ReplayedStream {
  answer: ModelAnswer | null
  error: unknown
  seen: string
  counted: Partial<ModelUsage>
}

/** Makes a call whose provider sends these bytes. `breaks`: the connection is lost after them. */
export async function replayStream(
  engine: RecordedStream["engine"],
  bytes: string,
  { breaks = false, ...more }: Partial<ModelCall> & { breaks?: boolean } = {},
): Promise<ReplayedStream> {
  const replayed: ReplayedStream = { answer: null, error: null, seen: "", counted: {} }
  const stream = () => {
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        // An error discards what no reader has taken yet, so the bytes are read before it.
        if (bytes !== "") controller.enqueue(new TextEncoder().encode(bytes))
        else if (breaks) controller.error(new Error("the connection is lost"))
        else controller.close()
        bytes = ""
      },
    })
    return new Response(source, { headers: { "content-type": "text/event-stream" } })
  }
  try {
    replayed.answer = await callModel(
      {
        fetch: async () => stream(),
        accounts: { [engine]: account },
        sleep: async () => {},
        signal: new AbortController().signal,
        loadObject: async () => null,
        onText: (piece) => {
          replayed.seen += piece
        },
        onProgress: ({ usage }) => {
          replayed.counted = usage ?? replayed.counted
        },
      },
      replayedCall(engine, more),
    )
  } catch (error) {
    replayed.error = error
  }
  return replayed
}

/** The calls of an answer that a turn makes. */
export const madeCalls = (answer: ModelAnswer | null): ToolCallPart[] =>
  (answer?.content ?? []).filter(
    (part): part is ToolCallPart => part.type === "tool-call" && part.invalid === undefined,
  )

/** The calls that a turn answers with a reason instead of making them. */
export const refusedCalls = (answer: ModelAnswer | null): string[] =>
  (answer?.content ?? []).flatMap((part) => (part.type === "tool-call" && part.invalid ? [part.invalid] : []))
