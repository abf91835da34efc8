import { type RawBuilder, sql } from "kysely"
import { TurnpikeError } from "../errors.ts"

/** A pin that a request names, and the field that names it. */
export interface WantedPin {
  param: string
  pin: string
}

/** The CTE `unknown_pin`: one of the pins that is not in the catalog or not enabled, if any. */
export function unknownPinCte(pins: WantedPin[]): RawBuilder<unknown> {
  const wanted = JSON.stringify([...new Set(pins.map(({ pin }) => pin))])
  return sql`unknown_pin as (
    select pin from jsonb_array_elements_text(${wanted}::jsonb) as wanted(pin)
    where not exists (select 1 from model_catalog c where c.pin = wanted.pin and c.enabled) limit 1
  )`
}

export function unknownPinError(unknown: string, pins: WantedPin[]): TurnpikeError {
  const param = pins.find(({ pin }) => pin === unknown)?.param
  return new TurnpikeError("VALIDATION_FAILED", `There is no enabled model with the pin "${unknown}".`, {
    ...(param && { param }),
  })
}
