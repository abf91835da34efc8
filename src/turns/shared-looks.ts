import { type Credential, tokenOf } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import type { Wake } from "../platform/wake.ts"
import { LOOK_POLICY, PUSH_POLICY } from "./policies.ts"
import { Waiter } from "./waiters.ts"

/** The result of a look at a turn. It has none of the turn's content, so all waiters can share it. */
interface Shown {
  /** When the statement was sent, in ms. */
  at: number
  lastSeq: number
  ended: boolean
  /** The turn waits, or an earlier turn of its conversation does. */
  waits: boolean
}

/** The last look of any waiter in this isolate, by turn. Plain values: no request may await another one's promise. */
const shown = new Map<string, Shown>()
/** When the current look at a turn was sent. An entry stays if its request is cut off, so it counts only for a time. */
const looking = new Map<string, number>()
/** The turns that requests wait for, and when the next look at each is due. */
const awaited = new Map<string, number>()

/**
 * One caller that waits for a turn. Each answer comes from the caller's own look, which checks again that the caller
 * may see the turn. Shared looks only show whether there is news: one waiter of an isolate looks for all of them.
 */
export class SharedLooks {
  private readonly ctx: Pick<Context, "clock" | "db">
  private readonly turnId: string
  private readonly waitsFor: "end" | "events"
  private readonly waiter: Waiter
  private readonly began: number
  private newsAt: number
  private mine: Shown
  /** The number of its statements so far. The calls of one request are limited. */
  taken = 0
  /** The turn's run pushes its text to the caller, so that looks only find what a lost message had. */
  isPushed = false

  /** `reader`: whose waits count together, if not the caller's. Throws QUOTA_EXCEEDED if too many of them are open. */
  constructor(
    ctx: Pick<Context, "clock" | "db">,
    credential: Credential,
    { turnId, waitsFor, reader }: { turnId: string; waitsFor: "end" | "events"; reader?: string | undefined },
  ) {
    this.ctx = ctx
    this.turnId = turnId
    this.waitsFor = waitsFor
    this.waiter = new Waiter(ctx.clock, reader ?? tokenOf(credential))
    this.began = this.now()
    this.newsAt = this.began
    this.mine = { at: this.began, lastSeq: 0, ended: false, waits: false }
  }

  /** Releases the caller's place. */
  end(): void {
    this.waiter.leave()
  }

  /** Makes the caller's own look, and shares its result with the other waiters. */
  async look<Found>(
    take: () => Promise<Found>,
    read: (found: Found) => { lastSeq: number; ended: boolean; waits: boolean },
  ): Promise<Found> {
    const at = this.now()
    this.taken++
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
   * Resolves with true when the caller must look: when there is news, and at `until`. At the start of a wait and while
   * events come, also when no waiter has looked for one pause. Resolves with false if `wake` rings.
   */
  async pause({ until, wake }: { until: number; wake: Wake }): Promise<boolean> {
    let due = this.mine.at + this.pauseAfter(this.mine)
    for (;;) {
      awaited.set(this.turnId, Math.max(due, awaited.get(this.turnId) ?? 0))
      const left = Math.min(due, until) - this.now()
      if (await wake.wait(Math.max(0, left))) return false
      this.waiter.stay()
      const now = this.now()
      if (now >= until) return true
      const last = shown.get(this.turnId) ?? this.mine
      if (this.isNews(last)) return true
      const since = looking.get(this.turnId)
      const next = last.at + this.pauseAfter(last)
      if (next > now) due = next
      else if (since !== undefined && since + LOOK_POLICY.patienceMs > now) due = now + LOOK_POLICY.againMs
      else if (this.isEager(last) || this.hasNewsToRead(now)) {
        // Noted before anything is awaited, so only one of the waiters that wake at the same moment looks.
        looking.set(this.turnId, now)
        return true
      } else {
        this.taken++
        if (!(await lookForAll(this.ctx, this.turnId, now))) return true
      }
    }
  }

  private isNews({ ended, lastSeq, waits }: Shown): boolean {
    if (this.waitsFor === "events") return ended || lastSeq > this.mine.lastSeq
    return ended || (waits && !this.mine.waits)
  }

  private isEager({ at }: Shown): boolean {
    return this.waiter.eager && at - this.began < LOOK_POLICY.eagerMs
  }

  /** While events come, a reader looks itself, so that the look that finds news also reads it. */
  private hasNewsToRead(now: number): boolean {
    return this.waitsFor === "events" && now - this.newsAt < LOOK_POLICY.speaksMs
  }

  /**
   * At first, the pause is as long as the last look came after the last news, so that early news is seen early. The
   * time of the last look counts, not the present time: otherwise the next look would move on with the clock.
   */
  private pauseAfter(last: Shown): number {
    const { pauseMs, leastMs, quietMs, quietPauseMs } = LOOK_POLICY
    const quiet = last.at - this.newsAt
    if (this.isPushed) return Math.max(PUSH_POLICY.lookMs, quiet >= quietMs ? quietPauseMs : 0)
    if (!this.isEager(last)) return quiet >= quietMs ? quietPauseMs : pauseMs
    return Math.min(Math.max(quiet, leastMs[this.waitsFor]), pauseMs)
  }

  private now(): number {
    return this.ctx.clock.now().getTime()
  }
}

/**
 * Looks with one statement at this turn and at all other awaited turns that are soon due, so that many waiters cost as
 * much as one. Returns false if the statement failed; then the caller's own look reports why.
 */
async function lookForAll(ctx: Pick<Context, "clock" | "db">, turnId: string, now: number): Promise<boolean> {
  const ids = [turnId]
  for (const [id, due] of awaited) {
    if (due < now - LOOK_POLICY.goneMs) awaited.delete(id)
    else if (id !== turnId && due < now + LOOK_POLICY.pauseMs / 2 && !looking.has(id)) ids.push(id)
    if (ids.length >= LOOK_POLICY.atOnce) break
  }
  for (const id of ids) looking.set(id, now)
  try {
    const marks = await call(ctx.db, "get_turn_marks", { turn_ids: ids })
    for (const { turn_id, last_seq, ended, waits } of marks) {
      const seen = { lastSeq: last_seq as number, ended: ended as boolean, waits: waits as boolean }
      note(turn_id as string, { at: now, ...seen })
      awaited.delete(turn_id as string)
    }
    return marks.some(({ turn_id }) => turn_id === turnId)
  } catch {
    return false
  } finally {
    for (const id of ids) looking.delete(id)
  }
}

/** Stores a look. The newest are last in the map, and the oldest is deleted when the map is full. */
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
