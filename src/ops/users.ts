import type { SystemContext } from "../actor/context.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { plainJson } from "../base/plain-json.ts"
import { callOne, released } from "../platform/db.ts"
import { Meter } from "../platform/meter.ts"
import type { Answers } from "../platform/procedures.ts"
import { createRedis } from "../platform/redis.ts"
import { newToken, signSessionToken } from "../sign-in/session-token.ts"
import { mintMagicLink } from "../sign-in/sign-in-token.ts"
import { changeUserAsSystem, type UserChange } from "../users/change-user.ts"

/** The change of a user that a command makes: disable, enable or role. */
export function changeOf(command: "disable" | "enable" | "role", role: string | undefined): UserChange {
  if (command !== "role") return command
  if (role !== "user" && role !== "admin") throw new Error("--role must be user or admin.")
  return { role }
}

export async function runUserChange(ctx: SystemContext, userId: number, change: UserChange): Promise<string> {
  const user = plainJson(await changeUserAsSystem(ctx, userId, change), 2)
  if (change !== "disable") return user
  const { accounts } = await ctx.db
    .selectNoFrom((eb) =>
      eb
        .fn<Answers["named_account"][]>("to_jsonb", [eb.fn(released("only_owner_of"), [eb.val(userId)])])
        .as("accounts"),
    )
    .executeTakeFirstOrThrow()
  const ownerless = accounts.map(({ user_id, name }) => `\nAccount ${user_id} (${name ?? "no name"}) has no owner now.`)
  return user + ownerless.join("")
}

/** The brand under which the account was created. */
export async function brandOfUser({ db }: Pick<SystemContext, "db">, userId: number): Promise<string> {
  const { brand } = await db
    .selectFrom("users as u")
    .select("u.brand")
    .where("u.user_id", "=", userId)
    .executeTakeFirstOrThrow(() => new Error(`There is no user ${userId}.`))
  return brand
}

/** Creates a link that signs the user in once. Needs the Redis of the workers. */
export async function runMagicLink(
  ctx: SystemContext,
  env: Record<string, string | undefined>,
  { userId, origin }: { userId: number; origin: string },
): Promise<string> {
  const { UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN } = env
  if (!UPSTASH_REDIS_REST_URL || !UPSTASH_REDIS_REST_TOKEN) {
    throw new Error("Set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, as the workers have them.")
  }
  const redis = createRedis({ UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN }, new Meter())
  const { url, expiresAt } = await mintMagicLink({ ...ctx, redis }, { userId, origin })
  return `${url}\nThe link works once, until ${expiresAt.toISOString()}.`
}

/** How long a session of the command line lasts, in minutes. */
const SESSION_MINUTES = 60

/**
 * Makes a session by the database alone, for times without Redis. Returns the cookie's value. Needs the SECRETS_KEYS of
 * the auth worker, or of all. It asks for no second factor, because that needs Redis, too.
 */
export async function runSession(ctx: SystemContext, keys: string | undefined, userId: number): Promise<string> {
  if (!keys) throw new Error("Set SECRETS_KEYS, as the auth worker has them.")
  const now = ctx.clock.now()
  const token = newToken("session", now)
  const expires_at = new Date(now.getTime() + SESSION_MINUTES * 60_000)
  const args = { token, user_id: userId, expires_at, request_id: ctx.requestId, moment: now }
  const { begin_session: begun } = await callOne(ctx.db, "begin_session", args)
  if (!begun) throw new Error(`There is no user ${userId}, or the account is disabled.`)
  const value = await signSessionToken({ ...ctx, keyRing: createKeyRing(parseKeyRing(keys)) }, token)
  return `cookie token=${value}
The session works until ${expires_at.toISOString()}. In the browser, open a page of the service, and in its developer
tools add this cookie for the host: name token, path /, Secure. Then reload. With curl: --cookie 'token=…'`
}
