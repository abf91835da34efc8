import type { Context } from "../actor/context.ts"
import { Gather } from "../base/gather.ts"
import { newId } from "../base/ids.ts"
import { describeError } from "../platform/log.ts"
import type { ChannelMessage } from "../platform/redis.ts"
import { Wake } from "../platform/wake.ts"
import { PUSH_POLICY } from "../turns/policies.ts"
import { type Push, publishPush } from "../turns/pushed-text.ts"
import type { ReaderBell } from "./reader-bell.ts"

/**
 * The channels of a runner: messages of its turns that are ready at the same time are one request, because a worker may
 * have only six connections that wait for an answer.
 */
export function sharedChannels({ publish, subscribe }: Context["channels"]): Context["channels"] {
  const line = new Gather<ChannelMessage, number>(publish, { most: PUSH_POLICY.atOnce, atOnce: 1 })
  return { subscribe, publish: (messages) => Promise.all(messages.map((message) => line.add(message))) }
}

/** What a model call does with its text. */
export type CallPush = Pick<TextPush, "begin" | "add" | "retry" | "end" | "tellGrown" | "hasReaders" | "isShown">

/**
 * How a run sends its text: on a channel of Redis, and to the request that it runs for (`ownReader`, which returns how
 * many read).
 */
export function pushOf(
  ctx: Omit<TextPush["ctx"], "bell"> &
    Pick<Context, "channels" | "keyRing" | "meter"> & {
      ownReader?: OwnReader | undefined
      bell?: ReaderBell | undefined
    },
  turnId: string,
): CallPush {
  const { ownReader } = ctx
  const publish: TextPush["publish"] = async (push) =>
    ctx.meter.calls < PUSH_POLICY.mostCalls ? publishPush(ctx, turnId, push) : 0
  if (!ownReader) return new TextPush(ctx, turnId, publish)
  return new BothPushes(
    new TextPush({ ...ctx, bell: undefined }, turnId, async (push) => ownReader(push), { isHeard: true }),
    new TextPush(ctx, turnId, publish),
  )
}

/** The text of a turn's agents. Sub-agents run next to each other, so each has a push of its own. */
export class TurnPushes {
  private readonly make: () => CallPush
  private readonly agents = new Map<string, CallPush>()

  constructor(make: () => CallPush) {
    this.make = make
  }

  /** `ref`: the sub-agent, or null for the turn's own agent. */
  of(ref: string | null): CallPush {
    const known = this.agents.get(ref ?? "")
    if (known) return known
    const made = this.make()
    this.agents.set(ref ?? "", made)
    return made
  }

  /** Tells readers that the log has grown. */
  tellGrown(): void {
    for (const push of this.agents.values()) push.tellGrown()
  }
}

export type OwnReader = (push: Push) => number

/** A model call, of the turn's own agent or of a sub-agent. `of`: the event that started it. */
interface PushedCall {
  of: string
  step: number
  agent?: string | undefined
  delegated_by?: string | undefined
  /** Called when a reader is found: it needs the call's start from the log. */
  onReader(): void
}

/**
 * Sends the text of a running turn to readers that listen, besides the log. Redis answers how many listen. If none do,
 * the rest of a call is not sent, until a reader rings the bell. Nothing waits for a message, and a lost one reaches
 * readers through the log.
 */
export class TextPush {
  private readonly ctx: Pick<Context, "clock" | "log" | "background"> & { bell?: ReaderBell | undefined }
  private readonly turnId: string
  private readonly publish: (push: Push) => Promise<number>
  private call: PushedCall | null = null
  private waiting = ""
  /** Where the waiting text begins. */
  private at = 0
  private isSending = false
  /** This call has listened for readers that come later. Its end stops that. */
  private isAwaiting = false
  private stopAwaiting = () => {}
  /** Rings at the end of the call, and so ends the pause before the next piece. */
  private readonly over: Wake
  /** Whether readers listen, as the last answer said. Null: this call has not asked. */
  private isHeard: boolean | null
  /** How often readers may have come without a message that has counted them. */
  private news = 0
  /** A reader may have got text of the current call, and how many of its pieces have no answer yet. */
  private isHeardOf = false
  private unanswered = 0

  /** `publish` returns how many listen. `isHeard`: readers listen from the start. */
  constructor(
    ctx: TextPush["ctx"],
    turnId: string,
    publish: TextPush["publish"],
    { isHeard = null }: { isHeard?: boolean | null } = {},
  ) {
    this.ctx = ctx
    this.turnId = turnId
    this.publish = publish
    this.isHeard = isHeard
    this.over = new Wake(ctx.clock)
    ctx.bell?.listen(turnId, {
      ring: () => this.hearReader(),
      opened: () => {
        this.news++
        this.retry()
      },
    })
  }

  /** True if readers listened when the last message was sent. */
  get hasReaders(): boolean {
    return this.isHeard === true
  }

  /** True if a reader may have got text of the current call. An answer that is not there yet may say so. */
  get isShown(): boolean {
    return this.isHeardOf || this.unanswered > 0
  }

  begin(call: PushedCall): void {
    this.call = call
    this.waiting = ""
    this.isHeard = this.isHeard === true ? true : null
    this.isHeardOf = false
    this.unanswered = 0
    this.isAwaiting = false
    this.over.clear()
    // Readers show no piece before the log has the start of its call.
    if (this.isHeard) call.onReader()
  }

  /** Sends more text of the call, which begins at `at`. */
  add(text: string, at: number): void {
    if (this.isHeard === false || text === "") return
    // After a gap the earlier text is only in the log.
    if (this.at + this.waiting.length !== at || this.waiting.length + text.length > PUSH_POLICY.waitingChars) {
      this.waiting = ""
      this.at = at
    }
    this.waiting += text
    this.start()
  }

  /** A reader follows the turn now, although none listened before. */
  retry(): void {
    if (this.isHeard === false) this.isHeard = null
  }

  /** A reader has come, perhaps besides others. It needs the call's start and the text so far from the log. */
  private hearReader(): void {
    this.news++
    this.isHeard = true
    this.call?.onReader()
  }

  /** The call is over: what waits is sent at once, unless the call was too short to ask for readers. */
  end(): void {
    if (this.isHeard !== true) this.waiting = ""
    this.stopAwaiting()
    this.over.ring()
  }

  /** Tells readers that the log has grown. */
  tellGrown(): void {
    if (this.isHeard) this.ctx.background(this.send(null))
  }

  private start(): void {
    if (this.isSending) return
    this.isSending = true
    this.ctx.background(
      this.sendAll().finally(() => {
        this.isSending = false
      }),
    )
  }

  private async sendAll(): Promise<void> {
    // A call that is over in the same moment asks nothing.
    if (this.isHeard === null) await this.pause(1)
    this.awaitReaders()
    while (this.waiting !== "" && this.call) {
      const { clock } = this.ctx
      const sentAt = clock.now().getTime()
      await this.sendPiece(this.call)
      if (!this.isHeard) {
        this.waiting = ""
        return
      }
      await this.pause(PUSH_POLICY.gatherMs - (clock.now().getTime() - sentAt))
    }
  }

  /** Opens the bell if the call still writes a moment later. */
  private awaitReaders(): void {
    const { bell, clock } = this.ctx
    if (!bell || bell.isOpen || this.over.isRung || this.isAwaiting) return
    this.isAwaiting = true
    this.stopAwaiting = clock.after(PUSH_POLICY.bellMs, () => bell.open())
  }

  private async sendPiece({ onReader: _, ...call }: PushedCall): Promise<void> {
    const { waiting, at } = this
    const end = Math.min(waiting.length, PUSH_POLICY.pieceChars)
    const text = /[\ud800-\udbff]$/.test(waiting.slice(0, end)) ? waiting.slice(0, end - 1) : waiting.slice(0, end)
    this.waiting = waiting.slice(text.length)
    this.at = at + text.length
    const now = this.ctx.clock.now()
    await this.send({ id: newId("event", now), ...call, at, text, time: now.getTime() })
  }

  private async send(push: Push): Promise<void> {
    const { call } = this
    try {
      const isFirst = this.isHeard !== true
      const { news } = this
      if (push !== null) this.unanswered++
      const isHeard = (await this.publish(push)) > 0
      // A reader that has come in the meantime got this message from the log.
      if (isHeard || news === this.news) this.isHeard = isHeard
      if (push !== null && call === this.call) this.isHeardOf ||= isHeard
      if (isFirst && this.isHeard) call?.onReader()
    } catch (error) {
      this.isHeard = false
      // The answer can be lost after readers got the message.
      if (push !== null && call === this.call) this.isHeardOf = true
      this.ctx.log("info", "turn.push_failed", { turn_id: this.turnId, error: describeError(error) })
    } finally {
      if (push !== null && call === this.call) this.unanswered--
    }
  }

  private async pause(ms: number): Promise<void> {
    if (ms > 0) await this.over.wait(ms)
  }
}

/** The same text on two ways. */
class BothPushes implements CallPush {
  private readonly ways: readonly TextPush[]

  constructor(...ways: TextPush[]) {
    this.ways = ways
  }

  get hasReaders(): boolean {
    return this.ways.some(({ hasReaders }) => hasReaders)
  }

  get isShown(): boolean {
    return this.ways.some(({ isShown }) => isShown)
  }

  begin(call: PushedCall): void {
    for (const way of this.ways) way.begin(call)
  }

  add(text: string, at: number): void {
    for (const way of this.ways) way.add(text, at)
  }

  retry(): void {
    for (const way of this.ways) way.retry()
  }

  end(): void {
    for (const way of this.ways) way.end()
  }

  tellGrown(): void {
    for (const way of this.ways) way.tellGrown()
  }
}
