import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"
import { PUSH_POLICY } from "../turns/policies.ts"
import { subscribeToBell } from "../turns/pushed-text.ts"

interface Listener {
  /** A reader of the turn has come. */
  ring(): void
  /** The bell has just opened, so readers that came before have rung it in vain. */
  opened(): void
}

/**
 * Readers of a worker's turns ring it when they have subscribed to a turn. It opens with the first model call that
 * writes for some time, so a short call costs nothing. Without Redis, runs look for readers in the database.
 */
export class ReaderBell {
  private readonly ctx: Pick<Context, "channels" | "keyRing" | "clock" | "log" | "background">
  private readonly workerId: string
  private readonly over = new AbortController()
  private readonly listeners = new Map<string, Set<Listener>>()
  /** It is open, or opens now. */
  isOpen = false
  private triedAt = Number.NEGATIVE_INFINITY

  /** `workerId`: as `turns.claim_message` has it. */
  constructor(ctx: ReaderBell["ctx"], workerId: string) {
    this.ctx = ctx
    this.workerId = workerId
  }

  /** Listens for readers of a turn, until the turn is forgotten. */
  listen(turnId: string, listener: Listener): void {
    const known = this.listeners.get(turnId) ?? new Set<Listener>()
    this.listeners.set(turnId, known.add(listener))
  }

  forget(turnId: string): void {
    this.listeners.delete(turnId)
  }

  /** Opens it, unless it is open or has just failed. */
  open(): void {
    const now = this.ctx.clock.now().getTime()
    if (this.isOpen || this.over.signal.aborted || now - this.triedAt < PUSH_POLICY.againMs) return
    this.isOpen = true
    this.triedAt = now
    this.ctx.background(this.hear())
  }

  close(): void {
    this.over.abort(new Error("the worker has ended"))
    this.listeners.clear()
  }

  private async hear(): Promise<void> {
    try {
      const turns = await subscribeToBell(this.ctx, this.workerId, this.over.signal)
      for (const listeners of this.listeners.values()) for (const one of listeners) one.opened()
      for await (const turnId of turns) for (const one of this.listeners.get(turnId) ?? []) one.ring()
    } catch (error) {
      if (!this.over.signal.aborted) this.ctx.log("info", "bell.lost", { error: describeError(error) })
    }
    this.isOpen = false
  }
}
