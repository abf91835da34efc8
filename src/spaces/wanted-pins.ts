import { TurnpikeError } from "../base/errors.ts"

/** A pin that a request names, and the field that names it. */
export interface WantedPin {
  param: string
  pin: string
}

export function unknownPinError(unknown: string, pins: WantedPin[]): TurnpikeError {
  const param = pins.find(({ pin }) => pin === unknown)?.param
  return new TurnpikeError("VALIDATION_FAILED", `There is no enabled model with the pin "${unknown}".`, {
    ...(param && { param }),
  })
}
