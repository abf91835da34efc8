import type { SystemContext } from "../actor/context.ts"
import { plainJson } from "../base/plain-json.ts"
import { Meter } from "../platform/meter.ts"
import { createRedis } from "../platform/redis.ts"
import { mintMagicLink } from "../sign-in/sign-in-token.ts"
import { changeUserAsSystem, type UserChange } from "../users/change-user.ts"

/** The change of a user that a command makes: disable, enable or role. */
export function changeOf(command: "disable" | "enable" | "role", role: string | undefined): UserChange {
  if (command !== "role") return command
  if (role !== "user" && role !== "admin") throw new Error("--role must be user or admin.")
  return { role }
}

export async function runUserChange(ctx: SystemContext, userId: number, change: UserChange): Promise<string> {
  return plainJson(await changeUserAsSystem(ctx, userId, change), 2)
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
