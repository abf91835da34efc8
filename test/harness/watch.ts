import { expect } from "vitest"
import type { Health } from "../../src/system/get-health.ts"
import { signInAdmin } from "./books.ts"
import { cronOf, isAsleep } from "./cron.ts"
import type { World } from "./world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"

/** The variables of a world that is watched. */
export const WATCHED = { SLEEP_WHEN_IDLE: "1", HEALTH_TOKEN, ALERT_URL: "https://alerts.test/in" }

interface Waits {
  for: string
  turns?: number
  deliveries?: number
  oldest_at: string | null
}

interface OperatorView {
  turns: { queued: number; running: number; blocked: number; overdue: number; waiting: Waits[] }
  webhooks: { pending: number; overdue: number; waiting: Waits[] }
}

/** A monitor and an operator of a world with `WATCHED`. */
export function watch(world: World) {
  const alerts: string[] = []
  world.serve("alerts.test", async (request) => {
    alerts.push(((await request.json()) as { alert: string }).alert)
    return new Response(null, { status: 204 })
  })

  async function health(): Promise<[status: number, failing: string[]]> {
    const headers = { Authorization: `Bearer ${HEALTH_TOKEN}` }
    const answer = await world.invoke(new Request("https://api.test/api/health", { headers }))
    const { checks } = (await answer.json()) as Health
    return [answer.status, checks.filter(({ ok }) => !ok).map(({ name }) => name)]
  }

  /** The system page, or the overview, as an operator reads it. */
  async function viewOf(path: "system" | "overview"): Promise<OperatorView> {
    const admin = await signInAdmin(world)
    return (await admin.json("GET", `/api/admin/${path}`))[1] as OperatorView
  }

  /** Lets minutes pass with the cron and the queue. Fails as soon as a check does. Returns how many minutes it slept. */
  async function passInOrder(minutes: number): Promise<number> {
    let slept = 0
    for (let passed = 1; passed <= minutes; passed++) {
      if (isAsleep(await cronOf(world).minute())) slept++
      expect(await health(), `after ${passed} minutes`).toEqual([200, []])
      await world.drain()
    }
    expect(alerts).toEqual([])
    return slept
  }

  /** Lets minutes pass while the queue delivers nothing, until a check fails. Returns the seconds. */
  async function untilFound(check: string): Promise<number> {
    await world.sweep()
    for (let seconds = 0; ; seconds += 10) {
      const [, failing] = await health()
      if (failing.length > 0) {
        expect(failing).toEqual([check])
        return seconds
      }
      await world.advance(10_000)
      if (seconds % 60 === 50) await world.sweep()
      if (seconds > 600) throw new Error("The stall was not found.")
    }
  }

  return { alerts, health, viewOf, passInOrder, untilFound }
}
