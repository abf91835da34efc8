import { spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceRoleRequired } from "../actor/shares.ts"
import { originOf } from "../agent-config/request-parts.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkUrl } from "../platform/public-url.ts"

/** A pin in a request, and the field that contains it. */
export interface WantedPin {
  param: string
  pin: string
}

export function unknownPinError(unknown: string, pins: WantedPin[]): TurnpikeError {
  const param = pins.find(({ pin }) => pin === unknown)?.param
  const model = param?.endsWith("image_model") ? "model for pictures" : "model"
  return new TurnpikeError("VALIDATION_FAILED", `There is no enabled ${model} with the pin "${unknown}".`, {
    ...(param && { param }),
  })
}

interface Refusal {
  refused: string | null
  /** The limit that was reached, if `refused` is limit. */
  reached?: Answers["count_state"] | null
  unknown_pin?: string | null
}

/**
 * Throws the errors that all changes of a space share: NOT_FOUND, SPACE_ROLE_REQUIRED, SPACE_ARCHIVED,
 * VERSION_MISMATCH, LIMIT_REACHED, and VALIDATION_FAILED if one of `pins` is unknown. The verb handles other refusals.
 */
export function throwRefusedChange(
  spaceId: string,
  { refused, unknown_pin, reached }: Refusal,
  pins: WantedPin[] = [],
): void {
  if (refused === "not_found") throw spaceNotFound(spaceId)
  if (refused === "role") throw spaceRoleRequired("admin", { space_id: spaceId })
  if (refused === "archived") {
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and cannot be changed.`)
  }
  if (refused === "stale") throw staleConfig()
  if (reached) throw countReached(reached)
  if (refused === "unknown_pin") throw unknownPinError(unknown_pin ?? "", pins)
}

const staleConfig = () =>
  new TurnpikeError(
    "VERSION_MISMATCH",
    "Another request has changed the space's configuration in the meantime. Nothing was written. Read it again, then repeat the change.",
    { details: {} },
  )

/** Rejects a URL that could never be called, when the tool is configured. Every call checks the URL again. */
export function checkTarget(ctx: Context, template: string, param: string): void {
  checkUrl(ctx, originOf(template) ?? "", param)
}
