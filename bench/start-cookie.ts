import { createContext } from "../src/actor/context.ts"
import { parseBaseEnv } from "../src/base/env.ts"
import { signSessionToken } from "../src/sign-in/session-token.ts"
import { startSession } from "../src/sign-in/start-session.ts"
import type { Site } from "./site.ts"

/** Starts a session of a user. Returns the cookie. */
export async function startCookie({ env }: Pick<Site, "env">, userId: number): Promise<string> {
  // The sign-in uses neither of them.
  const unused = { CALLBACKS_URL: "http://127.0.0.1:1", FILES: {} }
  const ctx = createContext(parseBaseEnv({ ...env, ...unused }), () => {})
  const { token } = await startSession(ctx, { userId })
  return `token=${await signSessionToken(ctx, token)}`
}

/** Creates an admin with a session. Returns the cookie. */
export async function startAdminCookie(site: Pick<Site, "sql" | "env">): Promise<string> {
  const [user] = await site.sql<{ user_id: string }>(
    "insert into users (name, role) values ('Ada', 'admin') returning user_id",
  )
  return startCookie(site, Number(user?.user_id))
}
