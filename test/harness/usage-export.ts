import { createHash } from "node:crypto"
import type { World } from "./world.ts"

const HOUR_MS = 3_600_000

/** The data of the event usage.posted. */
export interface PostedUsage {
  ledger_id: number
  hour: string
  kind: string
  amount_usd: string
  turn_id: string | null
  end_user_ref: string | null
  booked_at: string
}

/** The data of the event hour.closed. */
export interface ClosedHour {
  from: string
  to: string
  rows: number
  sum: string
  digest: string
  empty_since: string
}

/** The digest of an hour, as the guide says. */
export function digestOfHour(rows: PostedUsage[]): string {
  let digest = Buffer.alloc(32)
  for (const { ledger_id, amount_usd } of rows.toSorted((a, b) => a.ledger_id - b.ledger_id)) {
    digest = createHash("sha256").update(digest).update(`${ledger_id} ${amount_usd}\n`).digest()
  }
  return digest.toString("hex")
}

/** Moves the clock to the start of the next hour and some time after it. */
export async function intoNextHour(world: World, ms: number): Promise<void> {
  await world.advance(HOUR_MS - (world.clock.ms() % HOUR_MS) + ms)
}

export async function sweepAndDrain(world: World): Promise<void> {
  await world.sweep()
  await world.drain()
}
