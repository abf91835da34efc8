import { createHmac } from "node:crypto"
import { type Credential, tokenOf } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"

/**
 * The mark before the headings in the text of a turn. End users cannot guess it, and each request has another one. It
 * is derived from the request's key, so that a retry has the same text.
 */
export async function quoteMark(
  ctx: Pick<Context, "keyRing">,
  credential: Credential,
  idempotencyKey: string,
): Promise<string> {
  const caller = tokenOf(credential)
  const [key] = await ctx.keyRing.derive("idempotency-keys")
  return createHmac("sha256", key as Uint8Array)
    .update(`quotes ${caller} ${idempotencyKey}`)
    .digest("hex")
    .slice(0, 16)
}
