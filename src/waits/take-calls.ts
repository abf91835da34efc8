import * as z from "zod"
import { type Credential, tokenOf } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { metadataSchema } from "../base/metadata.ts"
import type { Answers } from "../platform/procedures.ts"
import { IDENTITY_HEADER, identityOf } from "../tools/identity.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { LOOK_POLICY, TURN_WAIT_POLICY } from "../turns/policies.ts"
import { Waiter } from "../turns/waiters.ts"
import { numbersOfCall } from "./call-id.ts"

export const takenCallSchema = z
  .object({
    turn_id: z.string(),
    call: z.string().meta({ description: "The call within its turn.", example: "0.0" }),
    conversation: z.string(),
    space: z.string(),
    end_user_ref: z.string().nullable().meta({
      description: "Your own id of the end user. Null: a web chat without an end user.",
      example: "customer-42",
    }),
    metadata: metadataSchema.meta({ description: "The metadata of the turn." }),
    tool: z.string().meta({ example: "lookup_stock" }),
    input: z.record(z.string(), z.unknown()).meta({ example: { sku: "A-1" } }),
    takes: z.int().meta({
      description:
        "How often the call was given to a worker. Above 1, an earlier worker did not send its result in time.",
      example: 1,
    }),
    taken_until: z.iso.datetime().meta({ description: "Then another worker may get the call, unless you renew it." }),
    identity: z
      .string()
      .nullable()
      .meta({
        description:
          "A signed token that says for whom the call is made, so that other services of yours need not trust this worker. " +
          "See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Null: the tool has `identity: none`.",
        example: "eyJhbGciOiJFZERTQSIsInR5cCI6InR1cm5waWtlLWlkZW50aXR5K2p3dCJ9…",
      }),
  })
  .meta({ id: "TakenCall" })

type TakenCall = z.infer<typeof takenCallSchema>

/**
 * Takes calls of tools without a request, and waits up to `waitSeconds` for the first one. A call whose worker neither
 * answers nor renews is given again. QUOTA_EXCEEDED if the caller has too many open waits.
 */
export async function takeCalls(
  ctx: Context,
  credential: Credential,
  asked: {
    space: string | undefined
    tools: string[] | undefined
    limit: number
    waitSeconds: number
    signal: AbortSignal
  },
): Promise<TakenCall[]> {
  const until = ctx.clock.now().getTime() + asked.waitSeconds * 1000
  const waiter = new Waiter(ctx.clock, tokenOf(credential))
  try {
    for (;;) {
      const calls = await take(ctx, credential, asked)
      const left = until - ctx.clock.now().getTime()
      if (calls.length > 0 || left <= 0 || asked.signal.aborted) return calls
      waiter.stay()
      await ctx.clock.sleep(Math.min(left, LOOK_POLICY.pauseMs), asked.signal).catch(() => {})
    }
  } finally {
    waiter.leave()
  }
}

async function take(
  ctx: Context,
  credential: Credential,
  { space, tools, limit }: { space: string | undefined; tools: string[] | undefined; limit: number },
): Promise<TakenCall[]> {
  const until = takenUntil(ctx)
  const { row } = await callAs(ctx, credential, "take_calls", {
    space: space ?? null,
    tools: tools ?? null,
    limit,
    until,
  })
  return Promise.all((row.calls ?? []).map((taken) => takenCall(ctx, taken, until)))
}

async function takenCall(
  ctx: Context,
  {
    step,
    call,
    config_version,
    agent,
    test,
    conversation_id,
    end_user_ref,
    metadata,
    signed,
    input,
    ...taken
  }: Answers["taken_call"],
  until: Date,
): Promise<TakenCall> {
  const { turn_id, space } = taken
  const values = { endUserRef: end_user_ref, turnId: turn_id, conversationId: conversation_id }
  const key = `${turn_id}.${step}.${call}`
  const identity = identityOf(ctx, { values, space, configVersion: config_version, test })
  // The worker has asked us, so the token is for our own origin, and there is no body that it covers.
  const request = { url: ctx.site.origin, body: null, key, agent, timeoutMs: TURN_WAIT_POLICY.takenMs }
  return {
    ...taken,
    conversation: conversation_id,
    end_user_ref,
    metadata: metadata as Record<string, string>,
    call: `${step}.${call}`,
    input: input as Record<string, unknown>,
    taken_until: until.toISOString(),
    identity: signed ? ((await identity(request))[IDENTITY_HEADER] ?? null) : null,
  }
}

export const RENEW_CALL_ERRORS = ["NOT_FOUND", "CALL_NOT_WAITING"] as const

/** Keeps a taken call for longer. Throws NOT_FOUND, or CALL_NOT_WAITING if the call belongs to the worker no longer. */
export async function renewCall(
  ctx: Context,
  credential: Credential,
  { turnId, call, takes }: { turnId: string; call: string; takes: number },
): Promise<{ taken_until: string }> {
  const until = takenUntil(ctx)
  const { row } = await callAs(ctx, credential, "renew_call", { turn_id: turnId, ...numbersOfCall(call), takes, until })
  if (row.outcome === "unknown") throw turnNotFound(turnId)
  if (row.outcome !== "renewed") {
    throw new TurnpikeError("CALL_NOT_WAITING", "The call has its result, or another worker has taken it.")
  }
  return { taken_until: until.toISOString() }
}

const takenUntil = (ctx: Context) => new Date(ctx.clock.now().getTime() + TURN_WAIT_POLICY.takenMs)
