import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import * as z from "zod"
import type { ModelAccounts } from "../../agent/engine.ts"
import { type CallbacksEnv, parseCallbacksEnv } from "../../env.ts"
import { TurnpikeError } from "../../errors.ts"
import type { Group } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { callbackUrl } from "../../platform/queue.ts"
import { verifySignature } from "../../platform/queue-signature.ts"
import { advanceTurn } from "../../turns/advance-turn.ts"
import { turnCallbackPath } from "../../turns/publish-turn.ts"
import { sweepTurns } from "../../turns/sweep-turns.ts"

// Read whole before it can be verified: what we publish is a few bytes.
const smallBodies = bodyLimit({
  maxSize: 64 * 1024,
  onError: () => {
    throw new TurnpikeError("PAYLOAD_TOO_LARGE", "A callback's body has at most 64 KiB.")
  },
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

/** /callbacks/*: what QStash calls, and the cron sweeper. */
export const callbacks: Group = {
  parseEnv: parseCallbacksEnv,
  mount(app) {
    app.use("/callbacks/*", smallBodies, signed)
    app.post(turnCallbackPath(":turn_id"), async (c) => {
      const turnId = z.string().max(64).parse(c.req.param("turn_id"))
      const ctx = { ...c.get("ctx"), accounts: modelAccounts(parseCallbacksEnv(c.env)) }
      const result = await advanceTurn(ctx, turnId)
      ctx.log("info", "turn.advanced", { turn_id: turnId, result })
      return c.json({ turn_id: turnId, result })
    })
  },
  async scheduled(ctx) {
    const sweep = await sweepTurns(ctx)
    ctx.log("info", "turns.swept", { ...sweep })
  },
}

function modelAccounts(env: CallbacksEnv): ModelAccounts {
  return {
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
  }
}
