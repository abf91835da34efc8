import type { Context as HonoContext } from "hono"
import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import * as z from "zod"
import type { Context } from "../../actor/context.ts"
import { sweepIdempotencyKeys } from "../../actor/once.ts"
import type { ModelAccounts } from "../../agent/engine.ts"
import { type CallbacksEnv, parseCallbacksEnv } from "../../base/env.ts"
import { TurnpikeError } from "../../base/errors.ts"
import { onceFor } from "../../base/once-for.ts"
import { sweepBooks } from "../../billing/reconcile.ts"
import { INTERNAL_SIGNATURE, verifyInternalCall } from "../../callbacks/internal-call.ts"
import { CHECK_SERVER_PATH, checkServerInput, TRY_TOOL_PATH, tryToolInput } from "../../callbacks/tool-trials.ts"
import { webhookCallbackPath } from "../../callbacks/wake-webhooks.ts"
import { sweepErasures } from "../../end-users/run-erasure.ts"
import { sweepArchivedSpaces, sweepDisabledUsers, sweepRevokedKeys } from "../../ending/causes.ts"
import { sweepFiles } from "../../files/sweep-files.ts"
import type { Group } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { describeError } from "../../platform/log.ts"
import { createOutbound } from "../../platform/outbound.ts"
import { callbackUrl } from "../../platform/queue.ts"
import { verifySignature } from "../../platform/queue-signature.ts"
import { sweepCounters } from "../../quotas/sweep-counters.ts"
import { noteSweeps, type SweepRun } from "../../system/note-sweeps.ts"
import { checkServer, tryTool } from "../../tools/try-tool.ts"
import { advanceTurn } from "../../turns/advance-turn.ts"
import { turnCallbackPath } from "../../turns/publish-turn.ts"
import type { AgentContext } from "../../turns/run.ts"
import { sweepTurns } from "../../turns/sweep-turns.ts"
import { dispatchWebhook } from "../../webhooks/dispatch-webhook.ts"
import { sweepStoppedWebhooks, sweepWebhooks } from "../../webhooks/sweep-webhooks.ts"

// Read whole before it can be verified: what we publish is a few bytes, and a tool's test has at most 64 KiB of input.
const smallBodies = bodyLimit({
  maxSize: 128 * 1024,
  onError: () => {
    throw new TurnpikeError("PAYLOAD_TOO_LARGE", "A callback's body has at most 128 KiB.")
  },
})

/** Only what one of our own workers has signed for exactly this URL and body goes on. */
const signedByUs = createMiddleware<AppEnv>(async (c, next) => {
  const signature = c.req.header(INTERNAL_SIGNATURE)
  await verifyInternalCall(c.get("ctx"), { signature, path: c.req.path, body: await c.req.arrayBuffer() })
  await next()
})

/** Only what QStash has signed for exactly this URL and body goes on. */
const signed = createMiddleware<AppEnv>(async (c, next) => {
  const env = parseCallbacksEnv(c.env)
  const ctx = c.get("ctx")
  await verifySignature(env, {
    signature: c.req.header("upstash-signature"),
    url: callbackUrl(env, c.req.path),
    body: await c.req.arrayBuffer(),
    now: ctx.clock.now(),
  })
  await next()
})

/** What the cron trigger does every minute, in this order. */
const SWEEPS: Record<string, (ctx: Context) => Promise<object>> = {
  turns: sweepTurns,
  keys: sweepRevokedKeys,
  disabled_users: sweepDisabledUsers,
  spaces: sweepArchivedSpaces,
  erasures: sweepErasures,
  webhooks: sweepWebhooks,
  stopped_webhooks: sweepStoppedWebhooks,
  files: sweepFiles,
  idempotency_keys: sweepIdempotencyKeys,
  counters: sweepCounters,
  books: sweepBooks,
}

/** /callbacks/*: what QStash calls, and the cron sweeper. */
export const callbacks: Group = {
  parseEnv: parseCallbacksEnv,
  mount(app) {
    app.use("/callbacks/*", smallBodies)
    app.use("/callbacks/turns/*", signed)
    app.use("/callbacks/webhooks/*", signed)
    app.use("/callbacks/internal/*", signedByUs)
    app.post(turnCallbackPath(":turn_id"), async (c) => {
      const turnId = z.string().max(64).parse(c.req.param("turn_id"))
      const ctx = agentContext(c)
      const result = await advanceTurn(ctx, turnId)
      ctx.log("info", "turn.advanced", { turn_id: turnId, result })
      return c.json({ turn_id: turnId, result })
    })
    app.post(webhookCallbackPath(":webhook_id"), async (c) => {
      const webhookId = z.string().max(64).parse(c.req.param("webhook_id"))
      const ctx = agentContext(c)
      const result = await dispatchWebhook(ctx, webhookId)
      ctx.log("info", "webhook.dispatched", { webhook_id: webhookId, ...result })
      return c.json({ webhook_id: webhookId, ...result })
    })
    app.post(TRY_TOOL_PATH, async (c) => c.json(await tryTool(agentContext(c), tryToolInput.parse(await c.req.json()))))
    app.post(CHECK_SERVER_PATH, async (c) =>
      c.json(await checkServer(agentContext(c), checkServerInput.parse(await c.req.json()))),
    )
  },
  async scheduled(ctx) {
    const runs: SweepRun[] = []
    for (const [name, sweep] of Object.entries(SWEEPS)) {
      const ranAt = ctx.clock.now()
      // One that fails does not keep the others from their work; it is tried again in a minute.
      const ok = await sweep(ctx).then(
        (result) => ctx.log("info", `${name}.swept`, { ...result }) ?? true,
        (error: unknown) => ctx.log("error", `${name}.sweep_failed`, { error: describeError(error) }) ?? false,
      )
      runs.push({ name, ran_at: ranAt.toISOString(), duration_ms: ctx.clock.now().getTime() - ranAt.getTime(), ok })
    }
    await noteSweeps(ctx, runs)
  },
}

function agentContext(c: HonoContext<AppEnv>): AgentContext {
  const ctx = c.get("ctx")
  const outbound = createOutbound({ fetch: ctx.fetch, clock: ctx.clock, policy: ctx.urlPolicy })
  return { ...ctx, outbound, accounts: accountsOf(parseCallbacksEnv(c.env)) }
}

const accountsOf = onceFor(
  (env: CallbacksEnv): ModelAccounts => ({
    ...(env.ANTHROPIC_API_KEY && {
      anthropic: { apiKey: env.ANTHROPIC_API_KEY, ...(env.ANTHROPIC_BASE_URL && { baseUrl: env.ANTHROPIC_BASE_URL }) },
    }),
    // A key beside a base URL belongs to that server, whichever protocol a pin speaks with it.
    ...(env.OPENAI_API_KEY && {
      openai: { apiKey: env.OPENAI_API_KEY, ...(env.OPENAI_BASE_URL && { baseUrl: env.OPENAI_BASE_URL }) },
    }),
    ...(env.OPENAI_BASE_URL && {
      "openai-compatible": {
        baseUrl: env.OPENAI_BASE_URL,
        ...(env.OPENAI_API_KEY && { apiKey: env.OPENAI_API_KEY }),
      },
    }),
  }),
)
