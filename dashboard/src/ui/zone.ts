import type { Zone } from "./exact-time.ts"
import { keep, useKept } from "./kept.ts"

const ENTRY = "times"

/** The zone in which this browser shows exact times. */
export const useZone = (): Zone => (useKept(ENTRY) === "local" ? "local" : "utc")

export const setZone = (zone: Zone) => keep(ENTRY, zone === "local" ? zone : null)
