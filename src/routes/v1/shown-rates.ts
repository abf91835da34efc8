import { createMiddleware } from "hono/factory"
import type { Credential } from "../../actor/actor.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { showKeyRate } from "../../turns/rated-turn.ts"

/** Answers to reads show the rate of their key, too. A key without a rate costs nothing. */
export const shownRates = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  const ctx = c.get("ctx")
  const credential: Credential | undefined = c.get("credential")
  if (credential?.kind !== "key" || c.res.status === 401 || ctx.windows.shown.length > 0) return
  await showKeyRate(ctx, credential)
})
