import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { LOOK_POLICY } from "./policies.ts"
import { Waiter } from "./waiters.ts"

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
/** The turns that are waited for, and when a look at each is due at the latest. */
const awaited = new Map<string, number>()

/**
 * One caller who waits for a turn. Each answer comes from a look of the caller's own, which asks again whether they may see the turn.
 * What others in the same isolate do only says that there is nothing new: one of them looks for all, at all turns that are waited for.
 */
export class SharedLooks {
  private readonly ctx: Pick<Context, "clock" | "db">
  private readonly turnId: string
  private readonly waitsFor: "end" | "events"
  private readonly waiter: Waiter
  private readonly began: number
  private newsAt: number
  private mine: Shown
  /** Its statements so far: a worker may make so many calls for one request. */
  taken = 0

  /** QUOTA_EXCEEDED when too many of the caller wait. */
  constructor(
    ctx: Pick<Context, "clock" | "db">,
    credential: Credential,
    { turnId, waitsFor }: { turnId: string; waitsFor: "end" | "events" },
  ) {
    this.ctx = ctx
    this.turnId = turnId
    this.waitsFor = waitsFor
    this.waiter = new Waiter(ctx.clock, credential)
    this.began = this.now()
    this.newsAt = this.began
    this.mine = { at: this.began, lastSeq: 0, ended: false }
  }

  /** Gives back the caller's place. */
  end(): void {
    this.waiter.leave()
  }

  /** Takes a look of the caller's own, and notes for the others what it has shown. */
  async look<Found>(
    take: () => Promise<Found>,
    read: (found: Found) => { lastSeq: number; ended: boolean },
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
   * Resolves when the caller has to look: when there is something new, and at `until` in any case; in the beginning of a wait also when
   * nobody has looked for the time of a pause, or while events come. False when `signal` was aborted before.
   */
  async pause({ until, signal }: { until: number; signal: AbortSignal }): Promise<boolean> {
    let due = this.mine.at + this.pauseAfter(this.mine)
    for (;;) {
      awaited.set(this.turnId, Math.max(due, awaited.get(this.turnId) ?? 0))
      const left = Math.min(due, until) - this.now()
      const slept = await this.ctx.clock.sleep(Math.max(0, left), signal).then(
        () => true,
        () => false,
      )
      if (!slept || signal.aborted) return false
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
        // Noted before anything is awaited: of those who wake at the same moment, one looks.
        looking.set(this.turnId, now)
        return true
      } else {
        this.taken++
        if (!(await lookForAll(this.ctx, this.turnId, now))) return true
      }
    }
  }

  private isNews({ ended, lastSeq }: Shown): boolean {
    return ended || (this.waitsFor === "events" && lastSeq > this.mine.lastSeq)
  }

  private isEager({ at }: Shown): boolean {
    return this.waiter.eager && at - this.began < LOOK_POLICY.eagerMs
  }

  /** A reader of a turn that speaks takes what is new with the look that finds it. */
  private hasNewsToRead(now: number): boolean {
    return this.waitsFor === "events" && now - this.newsAt < LOOK_POLICY.speaksMs
  }

  /**
   * At first as long as nothing new had come at the last look, so that what comes soon is seen soon. Not as long as until now: then the
   * next look would move on with the clock.
   */
  private pauseAfter(last: Shown): number {
    const { pauseMs, leastMs, quietMs, quietPauseMs } = LOOK_POLICY
    const quiet = last.at - this.newsAt
    if (!this.isEager(last)) return quiet >= quietMs ? quietPauseMs : pauseMs
    return Math.min(Math.max(quiet, leastMs[this.waitsFor]), pauseMs)
  }

  private now(): number {
    return this.ctx.clock.now().getTime()
  }
}

/**
 * One statement for this turn and for all others that are waited for and soon due, so that many who wait look as often as one. False
 * when it has failed: then the caller's own look says why.
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
    for (const { turn_id, last_seq, ended } of marks) {
      note(turn_id as string, { at: now, lastSeq: last_seq as number, ended: ended as boolean })
      awaited.delete(turn_id as string)
    }
    return marks.some(({ turn_id }) => turn_id === turnId)
  } catch {
    return false
  } finally {
    for (const id of ids) looking.delete(id)
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
