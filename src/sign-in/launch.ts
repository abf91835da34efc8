import * as z from "zod"
import type { AuthContext } from "./auth-context.ts"
import { botOf } from "./brand-of.ts"
import { invalidLaunch, readLaunch } from "./launch-data.ts"
import { doOnce } from "./one-time-token.ts"
import { LAUNCH_POLICY } from "./policies.ts"
import { messengerIdentity, type SignedIn, signInMessenger } from "./sign-in-messenger.ts"
import type { IdentityKey } from "./start-session.ts"

/** MessengerWebAppAuth in docs/contract.md. */
export const messengerWebAppAuthSchema = z
  .strictObject({
    init_data: z.string().min(1).max(8192).meta({
      description: "The launch data that the platform passes to the mini-app: a query string with `hash`.",
      example: "query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%7D&auth_date=1662771648&hash=c501b7…",
    }),
    ref_code: z
      .string()
      .max(64)
      .nullable()
      .optional()
      .meta({
        description:
          "The code of the user who referred this one. It counts at the first sign-in only. An unknown code " +
          "is ignored.",
        example: "4f1c9a07be52d386",
      }),
  })
  .meta({ id: "MessengerWebAppAuth" })

export const SIGN_IN_LAUNCH_ERRORS = ["INVALID_LAUNCH_DATA", "BOT_NOT_SET_UP"] as const

/**
 * Signs in the person who opened the mini-app, and runs `open` once per launch. A repeated launch
 * returns the result of `again`, for a browser that reloaded the page. Throws BOT_NOT_SET_UP or
 * INVALID_LAUNCH_DATA. After UNAVAILABLE the caller can send the same launch again.
 */
export async function signInLaunch<T>(
  ctx: AuthContext,
  url: string,
  { init_data, ref_code }: z.infer<typeof messengerWebAppAuthSchema>,
  { open, again }: { open: (user: SignedIn) => Promise<T>; again: (identity: IdentityKey) => Promise<T | null> },
): Promise<T> {
  const bot = await botOf(ctx, url)
  const { user, fingerprint, expiresAt } = readLaunch(init_data, bot.token, ctx.clock.now())
  const key = `launch:${bot.brand}:${fingerprint}`
  // Redis expires keys by its own clock. We allow for the same difference as for the platform's clock.
  const ttlMs = expiresAt.getTime() - ctx.clock.now().getTime() + 2 * LAUNCH_POLICY.maxAheadMs
  const opened = await doOnce(ctx, { key, ttlMs }, async () =>
    open(await signInMessenger(ctx, bot.brand, user, ref_code ?? null)),
  )
  if (opened !== null) return opened
  const known = await again(messengerIdentity(bot.brand, user))
  if (known === null) throw invalidLaunch("It was used before.")
  return known
}
