import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"

/** The account is not known when its headers are sealed, so they are sealed for an id of their own. */
const headersTarget = (headersId: string): SealTarget => ({
  table: "trace_exports",
  column: "headers",
  row: headersId,
  owner: headersId,
})

export function sealTraceHeaders(
  { keyRing }: Pick<Context, "keyRing">,
  headersId: string,
  headers: Record<string, string>,
): Promise<string> {
  return keyRing.seal(JSON.stringify(headers), headersTarget(headersId))
}

/** Opens the headers of an endpoint. In the background, seals them again if a newer key exists. */
export async function openTraceHeaders(
  ctx: Context,
  { headers, headers_id: id }: { headers: string | null; headers_id: string | null },
): Promise<Record<string, string>> {
  if (headers === null || id === null) return {}
  const { text, stale } = await ctx.keyRing.open(headers, headersTarget(id))
  if (stale) ctx.background(rewrap(ctx, id, { old: headers, text }))
  return JSON.parse(text) as Record<string, string>
}

async function rewrap(ctx: Context, headersId: string, { old, text }: { old: string; text: string }): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, headersTarget(headersId))
    await call(ctx.db, "reseal_trace_headers", { headers_id: headersId, old, sealed })
  } catch (error) {
    ctx.log("error", "traces.rewrap_failed", { error: describeError(error) })
  }
}
