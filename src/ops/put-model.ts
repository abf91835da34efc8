import type { SystemContext } from "../actor/context.ts"
import { currentRow } from "../catalog/planned-prices.ts"
import { versionOfRequest } from "../catalog/source-schemas.ts"
import { callOne } from "../platform/db.ts"
import { NONE, pricesOfOptions } from "./price-options.ts"

const ENGINES = ["anthropic", "openai", "openai-compatible"]

type Values = Record<string, unknown>

/**
 * Enables a model for the command line, and adds it if the catalog does not have it. What no option names stays as it
 * is. Must run in a transaction. Returns the model as it is stored.
 */
export async function putModel({ db, clock }: SystemContext, pin: string, values: Values) {
  const [engine = "", ...name] = pin.split("/")
  if (!ENGINES.includes(engine)) {
    throw new Error("--pin must be anthropic/MODEL, openai/MODEL or openai-compatible/MODEL.")
  }
  const moment = clock.now()
  const { lock_model: stored } = await callOne(db, "lock_model", { pin, moment })
  const present = stored && currentRow(stored)
  if (present?.kind === "image") throw new Error(`${pin} is a model for pictures. Change it on the page Models.`)
  const model = {
    engine,
    model: name.join("/"),
    label: typeof values.label === "string" ? values.label : (present?.label ?? pin),
    sort_order: present?.sort_order ?? 0,
    prices: versionOfRequest(pricesOfOptions(values, present)),
    idle_seconds: idleSecondsOf(values["idle-seconds"], present?.idle_seconds ?? null),
  }
  await callOne(db, "enable_model", { ...model, keep_edits: false, moment })
  return model
}

function idleSecondsOf(text: unknown, present: number | null): number | null {
  if (typeof text !== "string") return present
  if (text === NONE) return null
  const seconds = Number(text)
  if (!Number.isInteger(seconds)) throw new Error(`--idle-seconds: "${text}" is not a number of seconds.`)
  return seconds
}
