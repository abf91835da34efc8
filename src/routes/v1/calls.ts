import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam, repeated, wholeParam } from "../../http/query.ts"
import { resultTokenOf } from "../../http/result-token-auth.ts"
import { TURN_WAIT_POLICY } from "../../turns/policies.ts"
import { callParam } from "../../waits/call-id.ts"
import { DECIDE_CALL_ERRORS, decideCall, decidedCallSchema, decisionSchema } from "../../waits/decide-call.ts"
import {
  callResultSchema,
  DELIVER_RESULT_ERRORS,
  deliverByToken,
  deliverResult,
  MAX_RESULT_BODY_BYTES,
  takenResultSchema,
} from "../../waits/deliver-result.ts"
import { RENEW_CALL_ERRORS, renewCall, takeCalls, takenCallSchema } from "../../waits/take-calls.ts"

const tag = "Calls"
const params = z.object({ turn_id: idParam, call: callParam })
const takenUntil = takenCallSchema.pick({ taken_until: true })

/** Calls that turns wait for. */
export function mountCalls(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/turns/{turn_id}/calls/{call}/decision",
      id: "decideCall",
      tag,
      summary: "Decide about a call",
      description:
        "Allows or denies a call that waits for a decision. The first decision wins. The same decision again has no effect " +
        "and gets the same response, also after the turn's end. When no call of the turn waits for a decision any more, the turn continues. " +
        "See [Turns that wait](/docs/waiting).",
      idempotent: "replayed",
      params,
      body: decisionSchema,
      answer: { status: 200, description: "The decision.", schema: decidedCallSchema },
      errors: DECIDE_CALL_ERRORS,
      example: { body: { decision: "allow" } },
    },
    async (c, { params: { turn_id: turnId, call }, body, once }) =>
      madeOf(c, await decideCall(c.get("ctx"), c.get("credential"), { turnId, call, body }, once)),
  )

  app.operation(
    {
      method: "post",
      path: "/v1/turns/{turn_id}/calls/{call}/result",
      id: "sendCallResult",
      tag,
      summary: "Send the result of a call",
      description:
        "The result of a call that comes later: after your server answered 202, or of a tool without a request. Instead of an API key, " +
        "the header Authorization can have the token that the call's request carried in `Turnpike-Result-Token`. A result counts once. " +
        "The same result again has no effect and gets the same response, also after the turn's end. Secrets of the space are not " +
        "masked in it. With the token, an Idempotency-Key belongs to the call.",
      idempotent: "replayed",
      maxBytes: MAX_RESULT_BODY_BYTES,
      keepsNumbers: true,
      params,
      body: callResultSchema,
      answer: { status: 200, description: "The result counts.", schema: takenResultSchema },
      errors: DELIVER_RESULT_ERRORS,
      example: { body: { output: { refunded: true } } },
    },
    async (c, { params: { turn_id: turnId, call }, body, once }) => {
      const result = { turnId, call, body }
      const token = resultTokenOf(c)
      const taken = token
        ? await deliverByToken(c.get("ctx"), token, result, once)
        : await deliverResult(c.get("ctx"), c.get("credential"), result, once)
      return madeOf(c, taken)
    },
  )

  app.operation(
    {
      method: "post",
      path: "/v1/turns/{turn_id}/calls/{call}/renew",
      id: "renewCall",
      tag,
      summary: "Keep a taken call",
      description: `Keeps a call that your worker has taken for another ${TURN_WAIT_POLICY.takenMs / 1000} seconds.`,
      idempotent: "naturally",
      params,
      body: z
        .strictObject({
          takes: z.int().min(1).max(2_147_483_647).meta({ description: "The `takes` of the call.", example: 1 }),
        })
        .meta({ id: "RenewCall" }),
      answer: { status: 200, description: "Until when the worker has the call.", schema: takenUntil },
      errors: RENEW_CALL_ERRORS,
    },
    async (c, { params: { turn_id: turnId, call }, body: { takes } }) =>
      renewCall(c.get("ctx"), c.get("credential"), { turnId, call, takes }),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/calls",
      id: "takeCalls",
      tag,
      summary: "Take calls",
      description:
        "Calls of tools without a request, for a worker of yours that has no public address. A call belongs to the worker for " +
        `${TURN_WAIT_POLICY.takenMs / 1000} seconds. If the worker neither sends its result nor renews it, another one gets the call. So a call ` +
        "is given at least once, and its result counts once.",
      query: z.strictObject({
        wait: wholeParam(0, 30)
          .default(0)
          .meta({ description: "Maximum time in seconds to wait for a call.", example: 30 }),
        limit: wholeParam(1, TURN_WAIT_POLICY.takes).default(1),
        space: idParam.optional().meta({ description: "Only calls of this space." }),
        tool: repeated.optional().meta({ description: "Only calls of these tools. Can be repeated." }),
      }),
      answer: {
        status: 200,
        description: "The calls, or an empty list.",
        schema: z.object({ data: z.array(takenCallSchema) }),
      },
      errors: ["QUOTA_EXCEEDED"],
    },
    async (c, { query: { wait, limit, space, tool } }) => ({
      data: await takeCalls(c.get("ctx"), c.get("credential"), {
        space,
        tools: tool,
        limit,
        waitSeconds: wait,
        signal: c.req.raw.signal,
      }),
    }),
  )
}
