import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"
import { Wake } from "../platform/wake.ts"
import { PUSH_POLICY } from "./policies.ts"
import { type Push, ringBell, subscribeToPushes } from "./pushed-text.ts"

/** The messages of a turn's run to the request that it runs for, until the run is over. */
export interface OwnPushes {
  pushes: AsyncGenerator<Push>
  /** The request does not need the run any more. */
  leave(): void
}

/**
 * The messages that a turn's run sends to one reader. If Redis fails, none come, and it subscribes again some seconds
 * later: the reader then only looks at the log.
 */
export class Pushes {
  private readonly ctx: Context
  private readonly turnId: string
  private readonly over: AbortSignal
  private readonly left = new AbortController()
  /** Rings when a message arrives, and when the reader has left. */
  readonly news: Wake
  private arrived: Push[] = []
  private chars = 0
  private heard = 0
  private isOpen = false
  /** The subscription is confirmed: messages from now on arrive. */
  private isSubscribed = false
  /** The worker of the turn according to the last look, and the one that this subscription has told about the reader. */
  private worker: string | null = null
  private told: string | null = null
  /** First the messages of the reader's own run, which come without Redis. */
  private own: OwnPushes | null
  private triedAt = Number.NEGATIVE_INFINITY
  /** True while messages come: a run knows of this reader. */
  isLive = false

  constructor(ctx: Context, turnId: string, { signal, own }: { signal: AbortSignal; own: OwnPushes | null }) {
    this.ctx = ctx
    this.turnId = turnId
    this.over = AbortSignal.any([signal, this.left.signal])
    this.own = own
    this.news = Wake.when(ctx.clock, this.over)
    if (own && this.over.aborted) own.leave()
    else if (own) this.over.addEventListener("abort", () => own.leave(), { once: true })
  }

  /**
   * Subscribes, unless a subscription is open or has just failed, and tells the turn's worker once. The caller was seen
   * to be allowed to read.
   */
  open(worker: string | null): void {
    this.worker = worker
    this.tellWorker()
    const now = this.ctx.clock.now().getTime()
    if (this.isOpen || this.over.aborted || now - this.triedAt < PUSH_POLICY.againMs) return
    this.isOpen = true
    this.triedAt = now
    void this.listen()
  }

  /** Returns the messages that have arrived. */
  take(): Push[] {
    const { arrived } = this
    this.arrived = []
    this.chars = 0
    this.news.clear()
    return arrived
  }

  end(): void {
    this.left.abort(new Error("the reader has left"))
  }

  private async listen(): Promise<void> {
    const { own } = this
    try {
      this.isLive = own !== null
      const pushes = own?.pushes ?? (await subscribeToPushes(this.ctx, this.turnId, this.over))
      this.isSubscribed = own === null
      this.tellWorker()
      for await (const push of pushes) this.add(push)
      // The run is over: the log says how the turn continues, perhaps with another worker.
      if (own) this.add(null)
    } catch (error) {
      if (!this.over.aborted)
        this.ctx.log("info", "turn.push_lost", { turn_id: this.turnId, error: describeError(error) })
    }
    if (own) this.triedAt = Number.NEGATIVE_INFINITY
    this.own = null
    this.isOpen = false
    this.isSubscribed = false
    this.told = null
    this.isLive = false
  }

  /** The worker hears of a reader that gets no message yet, and brings the log up to date for it. */
  private tellWorker(): void {
    const { worker } = this
    if (!this.isSubscribed || this.isLive || worker === null || worker === this.told) return
    this.told = worker
    void ringBell(this.ctx, worker, this.turnId).catch((error: unknown) =>
      this.ctx.log("info", "turn.bell_failed", { turn_id: this.turnId, error: describeError(error) }),
    )
  }

  /** A client that reads slowly gets the text that is dropped here from the log. */
  private add(push: Push): void {
    this.isLive = true
    if (++this.heard >= PUSH_POLICY.mostMessages) this.end()
    this.chars += push?.text.length ?? 1
    if (this.chars <= PUSH_POLICY.heldChars) this.arrived.push(push)
    this.news.ring()
  }
}
