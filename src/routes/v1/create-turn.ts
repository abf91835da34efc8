import type { Context as HonoContext } from "hono"
import * as z from "zod"
import { tokenOf } from "../../actor/actor.ts"
import { usdText } from "../../base/money.ts"
import { parseTrace } from "../../base/trace-context.ts"
import { UPLOAD_FILE_ERRORS } from "../../files/upload-file.ts"
import { answerJson } from "../../http/answer-json.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { madeOf, parseIdempotencyKey, REPLAYED } from "../../http/idempotency.ts"
import { wholeParam } from "../../http/query.ts"
import { RATE_HEADERS } from "../../http/rate-headers.ts"
import { acceptTurn, type NewTurn } from "../../turns/accept-turn.ts"
import { sendStored } from "../../turns/attach-files.ts"
import { MESSAGE_POLICY, TURN_POLICY } from "../../turns/policies.ts"
import { sentTurnSchema, turnSchema } from "../../turns/schemas.ts"
import { SEND_TURN_ERRORS, sendInPlace, sendTurn } from "../../turns/send-turn.ts"
import { isTerminal, serializeTurn } from "../../turns/turn-row.ts"
import { Waiter } from "../../turns/waiters.ts"
import { acceptsEventStream, streamTurnEvents } from "../turn-events.ts"

const sendQuery = z.strictObject({
  wait: wholeParam(0, 30)
    .default(0)
    .meta({
      description:
        "Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait. If the turn can " +
        "start at once, the request itself runs it, which is the fastest way to a result.",
    }),
})

export function mountCreateTurn(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/turns",
      id: "createTurn",
      tag: "Turns",
      summary: "Send a turn",
      description:
        "Accepts a request for the space's agent and responds at once, or with `wait` at its end. The same Idempotency-Key with the " +
        "same body returns the same turn, with `Idempotent-Replayed: true`, as long as the turn exists.\n\n" +
        `The turn holds \`max_cost_usd\`, or ${usdText(TURN_POLICY.defaultHold)} USD, of the balance and of every cap that applies to it. If they ` +
        "have less left, it holds that. If that does not pay for its first model call, the turn is " +
        "rejected and nothing is held. If the balance is too low, the response is 402 `INSUFFICIENT_CREDITS`, " +
        "and waiting does not help. If the wallet of its end user is too low, it is 402 `END_USER_CREDIT_SPENT`. Otherwise it is 429 `QUOTA_EXCEEDED`. `details` describes the cap that " +
        "resets last, and `Retry-After` is the number of seconds until then. Rejected requests are not stored, so you " +
        "can send the same Idempotency-Key again. A repeat of an accepted turn returns the turn even if a cap " +
        "has been reached since. If the key or its end user has a rate, a turn beyond it is 429 `RATE_LIMITED`. See [Caps and quotas](/docs/caps).",
      headers: [
        {
          name: "Idempotency-Key",
          required: true,
          description: "A unique value per logical request, of 1–255 printable ASCII characters.",
          example: "order-1001",
        },
        {
          name: "traceparent",
          required: false,
          description:
            "The span that the turn continues (W3C Trace Context). An invalid value is ignored, and the turn begins a trace. A repeat " +
            "with the same Idempotency-Key keeps the first trace. See [Traces](/docs/traces).",
          example: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        },
        {
          name: "tracestate",
          required: false,
          description:
            "Vendors' data of the trace. It is passed on unchanged, and ignored without a valid `traceparent`.",
          example: "vendor=00f067aa0ba902b7",
        },
      ],
      query: sendQuery,
      maxBytes: MESSAGE_POLICY.bodyBytes,
      body: sentTurnSchema,
      answer: {
        status: 202,
        description: "The turn, which has not ended yet.",
        schema: turnSchema,
        also: {
          "text/event-stream":
            "The events of the turn from the first one until it has ended, as in `GET /v1/turns/{turn_id}/events`.",
        },
        alike: { 200: "With `wait`: the turn, which has ended." },
        headers: {
          Location: "The turn's path.",
          traceresponse: "The turn's span, as in its field `traceparent`.",
          ...RATE_HEADERS,
          [REPLAYED]: "`true` if an earlier request with this key created the turn.",
        },
      },
      errors: [...SEND_TURN_ERRORS, ...UPLOAD_FILE_ERRORS, "IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID"],
      example: {
        answer: {
          state: "queued",
          result: null,
          billed_cost_usd: 0,
          refunded_usd: 0,
          end_user_charge_usd: null,
          held_usd: 0.1,
          usage: {
            model_calls: 0,
            tool_calls: 0,
            tokens_input: 0,
            tokens_cached: 0,
            tokens_output: 0,
            tokens_reasoning: 0,
          },
          started_at: null,
          finished_at: null,
        },
      },
    },
    async (c, { body, query: { wait: waitSeconds } }) => {
      const idempotencyKey = parseIdempotencyKey(c.req.header("idempotency-key"))
      const trace = parseTrace(c.req.header("traceparent"), c.req.header("tracestate"))
      const [ctx, credential] = [c.get("ctx"), c.get("credential")]
      const sendBy = <Sent>(send: (asked: NewTurn) => Promise<Sent>) =>
        sendStored(ctx, credential, {
          idempotencyKey,
          body,
          send: (stored) => send({ idempotencyKey, body: stored, trace }),
        })
      if (acceptsEventStream(c.req.header("accept"))) return sendBy((asked) => streamNewTurn(c, asked))
      const made = await sendBy((asked) =>
        waitSeconds
          ? sendTurn(ctx, credential, asked, { waitSeconds, signal: c.req.raw.signal })
          : acceptTurn(ctx, credential, asked),
      )
      const turn = serializeTurn(madeOf(c, made))
      c.header("Location", `/v1/turns/${turn.turn_id}`)
      c.header("traceresponse", turn.traceparent)
      return waitSeconds > 0 && isTerminal(turn.state) ? answerJson(c, turn) : turn
    },
  )
}

/** Sends a turn, and answers with its events from the first one. */
async function streamNewTurn(c: HonoContext<AppEnv>, asked: NewTurn): Promise<Response> {
  const [ctx, credential] = [c.get("ctx"), c.get("credential")]
  // Too many open waits refuse the turn before it is sent.
  new Waiter(ctx.clock, tokenOf(credential)).leave()
  const { made, replayed, own } = await sendInPlace(ctx, credential, asked, { reads: true })
  const { turn_id: turnId, traceparent } = serializeTurn(made)
  const follow = { turnId, after: { seq: 0 }, signal: c.req.raw.signal, own, wasSent: true }
  const response = await streamTurnEvents(ctx, credential, follow)
  response.headers.set("Location", `/v1/turns/${turnId}`)
  response.headers.set("traceresponse", traceparent)
  if (replayed) response.headers.set(REPLAYED, "true")
  return response
}
