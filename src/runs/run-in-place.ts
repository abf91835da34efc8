import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { Wake } from "../platform/wake.ts"
import { acceptTurn } from "../turns/accept-turn.ts"
import { callRunner } from "../turns/call-runner.ts"
import { IN_PLACE_POLICY, TURN_POLICY } from "../turns/policies.ts"
import type { Push } from "../turns/pushed-text.ts"
import { type RunMessage, sentError } from "../turns/run-messages.ts"
import { callMissingRunner } from "./call-missing-runner.ts"
import type { Claim } from "./claim-turns.ts"
import { alone } from "./gathered.ts"
import type { OwnReader } from "./push-text.ts"
import { ReaderBell } from "./reader-bell.ts"
import { type RunResult, releaseTurn, runTurn } from "./run-turn.ts"
import type { RunnerContext } from "./runner.ts"
import { type Settling, settledInOrder, tellSettled } from "./settle-turns.ts"
import { startSoon } from "./start-line.ts"
import { type AskedInPlace, type StartedTurn, startTurn } from "./start-turn.ts"

/**
 * Accepts a turn and, if it can start now, runs it while the returned messages are read. `left`: their reader is gone.
 * Then the run continues for a short time and is handed over to a runner. Never throws: a refusal is a message.
 */
export async function runInPlace(
  ctx: RunnerContext,
  credential: Credential,
  asked: AskedInPlace,
  left: AbortSignal,
): Promise<AsyncGenerator<RunMessage[]>> {
  const place = takePlace(ctx, asked.turnId)
  let run: Promise<void> | null = null
  try {
    const started: StartedTurn = place
      ? await startTurn(ctx, credential, asked)
      : { ...(await acceptTurn(ctx, credential, asked)), claim: null, soon: null }
    const { made: turn, replayed, claim, soon } = started
    const first: RunMessage = {
      kind: "accepted",
      turn,
      replayed,
      runs: claim !== null || soon !== null,
      rates: ctx.windows.shown,
    }
    if (!first.runs) return messagesOf([first])
    const outbox = new Outbox(ctx, first)
    const ownReader = asked.reads ? (push: Push) => outbox.push(push, left) : undefined
    run = (async () => {
      const own = claim ?? (soon && (await startSoon(ctx, soon, left)))
      if (own) await runClaimed(ctx, own, { left, ownReader })
    })().finally(() => {
      place?.leave()
      outbox.end()
    })
    ctx.background(run)
    return outbox.messages()
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error
    return messagesOf([{ kind: "refused", error: sentError(error), rates: ctx.windows.shown }])
  } finally {
    if (!run) place?.leave()
  }
}

/** The runs in place of an isolate, and until when each counts: an invocation that is cut off reports no end. */
const placesOf = onceFor((_isolate: Context["cooling"]) => new Map<string, number>())

/** Null if the isolate has no room for another run in place. */
function takePlace({ cooling, clock }: Context, turnId: string): { leave(): void } | null {
  const places = placesOf(cooling)
  const now = clock.now().getTime()
  if (places.size >= IN_PLACE_POLICY.most) for (const [id, until] of places) if (until <= now) places.delete(id)
  if (places.size >= IN_PLACE_POLICY.most) return null
  places.set(turnId, now + TURN_POLICY.workerMs + IN_PLACE_POLICY.goneMs)
  return { leave: () => places.delete(turnId) }
}

async function runClaimed(
  ctx: RunnerContext,
  claim: Claim,
  { left, ownReader }: { left: AbortSignal; ownReader: OwnReader | undefined },
): Promise<void> {
  const { turn } = claim
  const waited = { ask: async () => {} }
  const { ctx: own, leave } = ctx.forTurn(claim.turn, () => waited.ask())
  const leaving = new Leaving(ctx, left)
  const bell = new ReaderBell(ctx, turn.turn_id)
  try {
    const run = { ...own, ownReader, bell, waited, handOver: leaving.cut, settling: settlingInPlace(ctx) }
    const running = runTurn(run, claim).catch((error: unknown): RunResult => {
      ctx.log("error", "turn.lost", { turn_id: turn.turn_id, error: describeError(error) })
      return "lost"
    })
    // A tool can take longer than the invocation has left. A runner then calls it again, with the same key.
    const result = await Promise.race([running, leaving.last])
    if (result === "late") await releaseTurn(ctx, turn, { broke: false, delayMs: 0 })
    ctx.log("info", "turn.run", { turn_id: turn.turn_id, result, in_place: true })
    if (result !== "settled") ctx.background(callNext(ctx))
  } finally {
    leaving.clear()
    bell.close()
    leave()
  }
}

/** The times of a run after its client has left. */
class Leaving {
  /** Aborted when the model call under way must be cut. */
  readonly cut: AbortSignal
  /** Resolves when the turn must be given away, whatever the run does. */
  readonly last: Promise<"late">
  private readonly stops: (() => void)[] = []

  constructor({ clock }: Pick<Context, "clock">, left: AbortSignal) {
    const cut = new AbortController()
    const late = Promise.withResolvers<"late">()
    const begin = () => {
      this.stops.push(
        clock.after(IN_PLACE_POLICY.cutMs, () => cut.abort(new Error("the client has left"))),
        clock.after(IN_PLACE_POLICY.lastMs, () => late.resolve("late")),
      )
    }
    if (left.aborted) begin()
    else left.addEventListener("abort", begin, { once: true })
    this.stops.push(() => left.removeEventListener("abort", begin))
    this.cut = cut.signal
    this.last = late.promise
  }

  clear(): void {
    for (const stop of this.stops) stop()
  }
}

/** Settles the turn, and calls a runner for turns of its account that can start now. */
function settlingInPlace(ctx: Context): Settling {
  return {
    add: (end) =>
      alone(end, async (ends) => {
        const args = { ends, runners: ctx.slots.runners, moment: ctx.clock.now() }
        const { settled, needs_runner } = await callOne(ctx.db, "settle_in_place", args)
        tellSettled(ctx, settled ?? [])
        if (needs_runner) ctx.background(callRunner(ctx))
        return settledInOrder(ends, settled ?? [])
      }),
  }
}

/** The slot is free, or the turn itself is ready again. A runner that has looked before did not see that. */
async function callNext(ctx: Context): Promise<void> {
  await callMissingRunner(ctx).catch((error: unknown) =>
    ctx.log("error", "runner.call_failed", { error: describeError(error) }),
  )
}

async function* messagesOf(messages: RunMessage[]): AsyncGenerator<RunMessage[]> {
  yield messages
}

/** The messages of a run for the request that reads its answer. */
class Outbox {
  private readonly wake: Wake
  private waiting: RunMessage[]

  constructor({ clock }: Pick<Context, "clock">, first: RunMessage) {
    this.wake = new Wake(clock)
    this.waiting = [first]
  }

  /** Returns how many readers there are. */
  push(push: Push, left: AbortSignal): number {
    if (left.aborted) return 0
    if (this.waiting.length < IN_PLACE_POLICY.waitingMessages) this.add({ kind: "push", push })
    return 1
  }

  end(): void {
    this.add({ kind: "over" })
  }

  private add(message: RunMessage): void {
    this.waiting.push(message)
    this.wake.ring()
  }

  async *messages(): AsyncGenerator<RunMessage[]> {
    for (;;) {
      const { waiting } = this
      this.waiting = []
      yield waiting.length > 0 ? waiting : [{ kind: "alive" }]
      if (waiting.at(-1)?.kind === "over") return
      if (this.waiting.length > 0) continue
      this.wake.clear()
      await this.wake.wait(IN_PLACE_POLICY.lifeMs)
    }
  }
}
