import type { Context } from "../actor/context.ts"
import { originOf } from "../agent-config/request-parts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { checkPublicUrl } from "../platform/public-url.ts"

/** Refuses a tool's URL that could never be called, when it is configured; it is checked again whenever it is called. */
export function checkTarget(ctx: Context, template: string, param: string): void {
  checkUrl(ctx, originOf(template) ?? "", param)
}

/** Refuses a URL that could never be called: VALIDATION_FAILED for `param`. */
export function checkUrl(ctx: Context, url: string | URL, param: string): void {
  try {
    checkPublicUrl(url, ctx.urlPolicy)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new TurnpikeError("VALIDATION_FAILED", `${param}: ${error.message}`, { param })
  }
}
