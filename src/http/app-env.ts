import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { SendingBot } from "../sign-in/answer-update.ts"

/**
 * What Hono carries for every route: the invocation's context and the caller's credential, a key below /v1 and a session below /api; for updates of
 * a bot whose it is.
 */
export interface AppEnv {
  Bindings: object
  Variables: { ctx: Context; credential: Credential; bot: SendingBot }
}
