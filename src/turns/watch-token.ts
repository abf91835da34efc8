import * as z from "zod"
import type { KeyCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { getTurn } from "./get-turn.ts"
import { WATCH_POLICY } from "./policies.ts"

/** The stream's path. The token in its query is the credential. */
export const WATCH_PATH = "/v1/watch"

const PREFIX = "watch_"
/** The token is not stored: its sealed content is all there is of it. */
const TARGET = { table: "watch_tokens", column: "content", row: "", owner: "" }

export const WATCH_PARTS = ["tool_inputs"] as const
type WatchPart = (typeof WATCH_PARTS)[number]

/** A token shows a turn with the rights of the key that made it, as they are at each look. */
export interface Watch {
  turnId: string
  include: readonly WatchPart[]
  until: Date
  credential: KeyCredential
}

const contentSchema = z.tuple([z.string(), z.array(z.enum(WATCH_PARTS)), z.int(), z.string(), z.boolean()])

/** Makes a token with which a browser may watch a turn. NOT_FOUND if the key does not see the turn. */
export async function createWatchToken(
  ctx: Context,
  credential: KeyCredential,
  { turnId, seconds, include }: { turnId: string; seconds: number; include: readonly WatchPart[] },
): Promise<{ token: string; expiresAt: Date }> {
  await getTurn(ctx, credential, turnId)
  const expiresAt = new Date(ctx.clock.now().getTime() + seconds * 1000)
  const content: z.infer<typeof contentSchema> = [
    turnId,
    [...new Set(include)],
    expiresAt.getTime(),
    credential.hash,
    credential.test,
  ]
  return { token: PREFIX + (await ctx.keyRing.seal(JSON.stringify(content), TARGET)), expiresAt }
}

/** Opens a token without any I/O. WATCH_TOKEN_INVALID if it is not ours, or has expired. */
export async function readWatchToken(ctx: Pick<Context, "keyRing" | "clock">, token: string): Promise<Watch> {
  if (!token.startsWith(PREFIX) || token.length > WATCH_POLICY.maxChars) throw watchRefused()
  const opened = await ctx.keyRing.open(token.slice(PREFIX.length), TARGET).catch(() => null)
  if (opened === null) throw watchRefused()
  const [turnId, include, until, hash, test] = contentSchema.parse(JSON.parse(opened.text))
  if (until <= ctx.clock.now().getTime()) throw watchRefused()
  return { turnId, include, until: new Date(until), credential: { kind: "key", hash, test } }
}

/** One error for all cases, so that it tells a stranger nothing. */
export const watchRefused = () =>
  new TurnpikeError("WATCH_TOKEN_INVALID", "This watch token has expired, or was never valid.")
