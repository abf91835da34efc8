import { spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { originOf } from "../agent-config/request-parts.ts"
import { countReached } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { Answers } from "../platform/procedures.ts"
import { checkUrl } from "../platform/public-url.ts"

/** A pin that a request names, and the field that names it. */
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
  /** Of the account, when `refused` is limit. */
  reached?: Answers["count_state"] | null
  unknown_pin?: string | null
}

/**
 * Throws the refusals that every change of a space shares: NOT_FOUND, SPACE_ROLE_REQUIRED, CONFLICT for an archived space, VALIDATION_FAILED for an unknown
 * one of `pins`, LIMIT_REACHED. Other refusals are the verb's own.
 */
export function throwRefusedChange(
  spaceId: string,
  { refused, unknown_pin, reached }: Refusal,
  pins: WantedPin[] = [],
): void {
  if (refused === "not_found") throw spaceNotFound(spaceId)
  if (refused === "role") {
    throw new TurnpikeError("SPACE_ROLE_REQUIRED", `You may use the space "${spaceId}", but not change it.`)
  }
  if (refused === "archived") {
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and cannot be changed.`)
  }
  if (reached) throw countReached(reached)
  if (refused === "unknown_pin") throw unknownPinError(unknown_pin ?? "", pins)
}

/** Refuses a URL that could never be called when the tool is configured. It is checked again at every call. */
export function checkTarget(ctx: Context, template: string, param: string): void {
  checkUrl(ctx, originOf(template) ?? "", param)
}
