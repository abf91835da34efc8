import type { Context as HonoContext } from "hono"
import type { SessionCredential } from "../actor/actor.ts"
import type { AppEnv } from "./app-env.ts"

/** The session of a request that passed `sessionAuth`. */
export function sessionOf(c: HonoContext<AppEnv>): SessionCredential {
  const credential = c.get("credential")
  if (credential.kind !== "session") throw new Error("a key has called an operation of the dashboard")
  return credential
}
