import { Turnpike } from "@turnpike-turns/client"
import { createUIMessageStream, createUIMessageStreamResponse, type UIMessage } from "ai"

const space = process.env.TURNPIKE_SPACE as string
/** The signed-in user of your application. Never take it from the request's body. */
const customerOf = (_request: Request) => "customer-42"

/** Sends the newest message as a turn, and passes the agent's text on while it is written. */
export async function POST(request: Request) {
  // Not created with the module: the key is not there while Next.js builds.
  const turnpike = new Turnpike()
  const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] }
  const asked = messages.at(-1) as UIMessage
  const text = asked.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
  const customer = customerOf(request)
  // The message's id is the key, so a message that the browser sends again is answered and billed once. The space
  // knows the conversation, so earlier messages are not sent again.
  const turn = { space, end_user_ref: customer, conversation: `${customer}-${id}`, text }
  const { turn_id } = await turnpike.turns.create(turn, { idempotencyKey: `${customer}-${asked.id}` })
  const stream = createUIMessageStream({
    async execute({ writer }) {
      let part = 0
      let written = ""
      const end = () => {
        if (written !== "") writer.write({ type: "text-end", id: String(part++) })
        written = ""
      }
      const add = (delta: string) => {
        if (delta === "") return
        if (written === "") writer.write({ type: "text-start", id: String(part) })
        written += delta
        writer.write({ type: "text-delta", id: String(part), delta })
      }
      for await (const { type, data } of turnpike.turns.events(turn_id, { signal: request.signal })) {
        if (data.agent) continue
        if (type === "text.delta") add(String(data.text))
        if (type === "step.started") end()
        if (type === "tool.started") writer.write({ type: "data-tool", data: { name: data.name }, transient: true })
      }
      const { state, result, error } = await turnpike.turns.wait(turn_id)
      // Text that was written before the stream opened comes with the result.
      if (result?.startsWith(written)) add(result.slice(written.length))
      end()
      if (state !== "done") throw new Error(error?.code ?? state)
    },
    onError: (error) => (error instanceof Error ? error.message : "The turn failed."),
  })
  return createUIMessageStreamResponse({ stream })
}
