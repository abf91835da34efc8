import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { SendingBot } from "../sign-in/answer-update.ts"

/**
 * The variables that Hono keeps per request: the context, the caller's credential (a key below /v1,
 * a session below /api), the bot that an update belongs to, and the Cache-Control of a response that may be cached.
 */
export interface AppEnv {
  Bindings: object
  Variables: {
    ctx: Context
    credential: Credential
    bot: SendingBot
    cacheControl: string
  }
}
