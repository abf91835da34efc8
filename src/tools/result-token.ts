import { createHmac } from "node:crypto"
import type { Context } from "../actor/context.ts"
import { isSameSecret } from "../base/same-secret.ts"

/**
 * The token with which a server may send the result of one call, without an API key. It is derived from the call, so
 * every repeat of the call carries the same one, and nothing is stored. `call`: the call's Idempotency-Key.
 */
export async function resultToken(ctx: Pick<Context, "keyRing">, call: string): Promise<string> {
  const [key] = await ctx.keyRing.derive("call-results")
  return tokenOf(key as Uint8Array, call)
}

/** The address for the result of a call. `call`: the call's Idempotency-Key, `{turn_id}.{step}.{call}`. */
export function resultUrl({ site }: Pick<Context, "site">, call: string): string {
  const [turnId, ...numbers] = call.split(".")
  return `${site.origin}/v1/turns/${turnId}/calls/${numbers.join(".")}/result`
}

/** True if the token is that of the call, by any key of the ring. */
export async function isResultToken(ctx: Pick<Context, "keyRing">, token: string, call: string): Promise<boolean> {
  const keys = await ctx.keyRing.derive("call-results")
  return keys.some((key) => isSameSecret(token, tokenOf(key, call)))
}

const tokenOf = (key: Uint8Array, call: string) => `crt_${createHmac("sha256", key).update(call).digest("hex")}`
