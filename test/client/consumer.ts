// Uses the package as a customer's server would. package.node.test.ts compiles this file; it never runs.
import {
  InsufficientCreditsError,
  QuotaExceededError,
  type Turn,
  Turnpike,
  TurnpikeError,
  verifyWebhook,
  type WebhookEvent,
} from "@turnpike-turns/client"

const turnpike = new Turnpike({ apiKey: "turnpike_live_x", baseUrl: "https://turnpike.example.com", maxRetries: 5 })
const missing: string | undefined = undefined

export async function serve(request: Request): Promise<string> {
  const { space_id } = await turnpike.spaces.create({ title: "Support", manifest: { max_steps: 4 }, model: missing })
  await turnpike.spaces.tools.put(space_id, "lookup", {
    description: "Looks up.",
    input_schema: { type: "object" },
    request: { method: "GET", url: "https://api.example.com" },
  })
  const { file_id } = await turnpike.files.upload(space_id, { name: "a.txt", data: new Uint8Array([1]) })
  const body = { space: space_id, end_user_ref: "customer-42", text: "Hello", files: [file_id] }
  const { admitted, refused_by } = await turnpike.turns.estimate(body)
  if (!admitted && refused_by?.code === "QUOTA_EXCEEDED")
    return `${refused_by.details.cap} in ${refused_by.retry_after}`
  const turn: Turn = await turnpike.turns.run(body, { onEvent: ({ seq }) => console.log(seq + 1), timeoutMs: 1000 })
  await turnpike.turns.run({
    space: body.space,
    end_user_ref: body.end_user_ref,
    results: [{ id: "call_1", output: "" }],
  })
  for await (const { turn_id } of turnpike.turns.list({ state: "failed", limit: 10 })) console.log(turn_id.length)
  for await (const event of turnpike.turns.stream(body)) console.log(event.type)
  const content: Response = await turnpike.files.content(file_id)

  const event: WebhookEvent = await verifyWebhook(await request.text(), request.headers, "whsec_x")
  if (event.type === "turn.done") console.log(event.data.turn.billed_cost_usd.toFixed(7))
  if (event.type === "cap.reached") console.log(event.data.percent + event.data.limit_usd, event.data.end_user_ref)
  if (event.type === "balance.low") console.log(event.data.available_usd - event.data.threshold_usd)
  if (event.type === "end_user.depleted") console.log(event.data.end_user_ref, event.data.threshold_usd.toFixed(2))
  if (event.type === "usage.posted") console.log(event.data.ledger_id.toFixed(), event.data.amount_usd.length)
  // @ts-expect-error an event without a turn has none
  if (event.type === "ping") console.log(event.data.turn)
  return turn.result ?? content.headers.get("etag") ?? ""
}

export function explain(error: unknown): string {
  if (error instanceof InsufficientCreditsError)
    return `top up: ${error.details.available_usd?.toFixed(2) ?? "too little"} left`
  if (error instanceof QuotaExceededError) return error.details.exceeded.map(({ left_usd }) => left_usd + 1).join()
  if (!(error instanceof TurnpikeError)) throw error
  return error.code === "QUOTA_EXCEEDED" ? `in ${error.retryAfter ?? 0} s` : error.message
}

export function mistakes() {
  // @ts-expect-error a turn needs a text
  void turnpike.turns.create({ space: "spc_1", end_user_ref: "customer-42" })
  // @ts-expect-error there is no such field
  void turnpike.spaces.create({ title: "Support", titel: "Support" })
  // @ts-expect-error there is no such state
  void turnpike.turns.list({ state: "finished" })
  // @ts-expect-error what is for tests is not there
  return new Turnpike({ runtime: undefined })
}
