import type { Clock } from "../platform/clock.ts"
import { LOOK_POLICY } from "./policies.ts"

/** What a look at a turn has shown: nothing of what it says, so that it serves whoever waits for it. */
interface Shown {
  /** When it was asked for, in ms. */
  at: number
  lastSeq: number
  ended: boolean
}

/** The last look of anybody in this isolate, by turn. Plain values only: no request may wait for another one's promise. */
const shown = new Map<string, Shown>()
/** Since when somebody has been looking; nothing takes it back when their request is cut off. */
const looking = new Map<string, number>()

/**
 * One caller who waits for a turn. Each answer comes from a look of the caller's own, which asks again whether they may see the turn.
 * That of others in the same isolate only says that there is nothing new, so that one of them looks for all.
 */
export class SharedLooks {
  private readonly clock: Clock
  private readonly turnId: string
  private readonly waitsFor: "end" | "events"
  private readonly began: number
  private newsAt: number
  private mine: Shown

  constructor(clock: Clock, turnId: string, waitsFor: "end" | "events") {
    this.clock = clock
    this.turnId = turnId
    this.waitsFor = waitsFor
    this.began = this.now()
    this.newsAt = this.began
    this.mine = { at: this.began, lastSeq: 0, ended: false }
  }

  /** Takes a look of the caller's own, and notes for the others what it has shown. */
  async look<Found>(
    take: () => Promise<Found>,
    read: (found: Found) => { lastSeq: number; ended: boolean },
  ): Promise<Found> {
    const at = this.now()
    looking.set(this.turnId, at)
    try {
      const found = await take()
      const look = { at, ...read(found) }
      if (this.isNews(look)) this.newsAt = this.now()
      this.mine = look
      note(this.turnId, look)
      return found
    } finally {
      looking.delete(this.turnId)
    }
  }

  /**
   * Resolves when the caller has to look: when nobody has for the time of a pause, or what another caller has seen since is new, and at
   * `until` in any case. False when `signal` was aborted before.
   */
  async pause({ until, signal }: { until: number; signal: AbortSignal }): Promise<boolean> {
    let due = this.mine.at + this.pauseAfter(this.mine)
    for (;;) {
      const left = Math.min(due, until) - this.now()
      const slept = await this.clock.sleep(Math.max(0, left), signal).then(
        () => true,
        () => false,
      )
      const now = this.now()
      if (!slept || signal.aborted) return false
      if (now >= until) return true
      const last = shown.get(this.turnId) ?? this.mine
      if (this.isNews(last)) return true
      const since = looking.get(this.turnId)
      const next = last.at + this.pauseAfter(last)
      if (next > now) due = next
      else if (since !== undefined && since + LOOK_POLICY.patienceMs > now) due = now + LOOK_POLICY.againMs
      else {
        // Noted before anything is awaited: of those who wake at the same moment, one looks.
        looking.set(this.turnId, now)
        return true
      }
    }
  }

  private isNews({ ended, lastSeq }: Shown): boolean {
    return ended || (this.waitsFor === "events" && lastSeq > this.mine.lastSeq)
  }

  /**
   * At first as long as nothing new had come at the last look, so that what comes soon is seen soon. Not as long as until now: then the
   * next look would move on with the clock.
   */
  private pauseAfter({ at }: Shown): number {
    const { eagerMs, pauseMs, leastMs } = LOOK_POLICY
    if (at - this.began >= eagerMs) return pauseMs
    return Math.min(Math.max(at - this.newsAt, leastMs[this.waitsFor]), pauseMs)
  }

  private now(): number {
    return this.clock.now().getTime()
  }
}

/** The newest stand last: what nobody has looked at for longest is forgotten. */
function note(turnId: string, look: Shown): void {
  const known = shown.get(turnId)
  if (known !== undefined && known.at > look.at) return
  shown.delete(turnId)
  shown.set(turnId, look)
  for (const map of [shown, looking]) {
    const oldest = map.size > LOOK_POLICY.sharedTurns ? map.keys().next() : undefined
    if (oldest && !oldest.done) map.delete(oldest.value)
  }
}
