import type { Context } from "../context.ts"
import type { Credential } from "../identity/credential.ts"

/** What Hono carries for every route: the invocation's context and, below /v1, the caller's claim. */
export interface AppEnv {
  Bindings: object
  Variables: { ctx: Context; credential: Credential }
}
