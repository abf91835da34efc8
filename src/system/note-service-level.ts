import type { Context } from "../actor/context.ts"
import { DAY_MS } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import { isSound } from "./get-health.ts"
import { HEALTH_POLICY } from "./policies.ts"

/** Counts the current quarter of an hour for the lines of the overview. */
export async function noteServiceLevel(ctx: Context): Promise<void> {
  const { timedTurns, countedDeliveries, quartersLate, quarterDays } = HEALTH_POLICY
  const sound = await isSound(ctx)
  const moment = ctx.clock.now()
  await callOne(ctx.db, "note_service_level", {
    sound,
    timed: timedTurns,
    deliveries: countedDeliveries,
    quarters: quartersLate,
    until: new Date(moment.getTime() - quarterDays * DAY_MS),
    moment,
  })
}
