import { Turnpike, TurnpikeError, verifyWebhook, WebhookVerificationError } from "@turnpike-turns/client"
import express from "express"

const { TURNPIKE_SPACE: space = "", TURNPIKE_WEBHOOK_SECRET: secret = "", PORT = "3000" } = process.env
const turnpike = new Turnpike()
const app = express()

/** Replace these by tables of your database. */
const handled = new Set<string>()
const answers = new Map<string, { customer: string; state: string; text: string | null; usd: number }>()

/** Sends a customer's question and returns at once. The webhook brings the answer. */
app.post("/questions", express.json(), async (request, response) => {
  const { customer, question, id } = request.body as { customer: string; question: string; id: string }
  try {
    // Your own id of the question makes it safe to send the request again.
    const body = { space, end_user_ref: customer, text: question }
    const turn = await turnpike.turns.create(body, { idempotencyKey: `question-${id}` })
    response.status(202).json({ turn: turn.turn_id })
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error
    response.status(error.status ?? 503).json({ error: error.code, request_id: error.requestId })
  }
})

app.get("/answers/:turn", (request, response) => {
  const answer = answers.get(request.params.turn)
  if (answer) response.json(answer)
  else response.status(404).json({ error: "NOT_YET" })
})

/** The signature covers the raw bytes, so this route does not parse JSON. */
app.post("/webhooks", express.raw({ type: "application/json" }), async (request, response) => {
  try {
    const event = await verifyWebhook(request.body, request.headers, secret)
    // A delivery can come twice. Its event has the same id.
    if (!handled.has(event.id) && (event.type === "turn.done" || event.type === "turn.failed")) {
      const { turn_id, end_user_ref, state, result, billed_cost_usd } = event.data.turn
      answers.set(turn_id, { customer: end_user_ref, state, text: result, usd: billed_cost_usd })
    }
    handled.add(event.id)
    response.sendStatus(204)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.status(400).send(error.message)
  }
})

app.listen(Number(PORT), "127.0.0.1", () => console.log(`Listening on http://localhost:${PORT}`))
