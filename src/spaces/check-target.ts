import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { checkPublicUrl } from "../platform/public-url.ts"
import { originOf } from "./request-parts.ts"

/** Refuses a URL that could never be called, when it is configured; it is checked again whenever it is called. */
export function checkTarget(ctx: Context, template: string, param: string): void {
  const sample = originOf(template)
  if (!sample) throw new TurnpikeError("VALIDATION_FAILED", `${param}: is no absolute URL`, { param })
  try {
    checkPublicUrl(sample, ctx.urlPolicy)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new TurnpikeError("VALIDATION_FAILED", `${param}: ${error.message}`, { param })
  }
}
