import { IconButton } from "../ui/button.tsx"
import { setZone, useZone } from "../ui/zone.ts"

/** Changes exact times between UTC and the zone of this browser. The other one is always in the tooltip. */
export function ZoneToggle() {
  const zone = useZone()
  const label = zone === "utc" ? "Times are UTC (show local times)" : "Times are local (show UTC)"
  return <IconButton label={label} icon="running" onClick={() => setZone(zone === "utc" ? "local" : "utc")} />
}
