import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { SendingBot } from "../sign-in/answer-update.ts"

/**
 * The variables that Hono keeps per request: the context, the caller's credential (a key below /v1,
 * a session below /api), and the bot that an update belongs to.
 */
export interface AppEnv {
  Bindings: object
  Variables: { ctx: Context; credential: Credential; bot: SendingBot }
}
