import { TurnpikeError } from "../base/errors.ts"
import { spaceNotFound } from "./get-space.ts"
import { unknownPinError, type WantedPin } from "./wanted-pins.ts"

interface Refusal {
  refused: string | null
  unknown_pin?: string | null
}

/**
 * Throws what keeps any space from being changed: NOT_FOUND, CONFLICT for an archived space, VALIDATION_FAILED for an unknown one
 * of `pins`. Other refusals are the verb's own.
 */
export function throwRefusedChange(spaceId: string, { refused, unknown_pin }: Refusal, pins: WantedPin[] = []): void {
  if (refused === "not_found") throw spaceNotFound(spaceId)
  if (refused === "archived") {
    throw new TurnpikeError("SPACE_ARCHIVED", `The space "${spaceId}" is archived and cannot be changed.`)
  }
  if (refused === "unknown_pin") throw unknownPinError(unknown_pin ?? "", pins)
}
