import { type Credential, tokenOf } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { logIds } from "../base/trace-context.ts"
import { openCallbacksWorker } from "../callbacks/internal-call.ts"
import { describeError } from "../platform/log.ts"
import { ACCEPT_TURN_ERRORS, acceptTurn, type NewTurn } from "./accept-turn.ts"
import { WAIT_FOR_TURN_ERRORS, waitForTurn } from "./get-turn.ts"
import { isUnavailable, lookAgain, unsureTurn } from "./look-again.ts"
import { IN_PLACE_POLICY, STREAM_POLICY } from "./policies.ts"
import type { Push } from "./pushed-text.ts"
import type { OwnPushes } from "./pushes.ts"
import { errorSent, passCredential, RUN_TURN_PATH, type RunMessage } from "./run-messages.ts"
import { isTerminal, type TurnRow } from "./turn-row.ts"
import { Waiter } from "./waiters.ts"

export const SEND_TURN_ERRORS = [...ACCEPT_TURN_ERRORS, ...WAIT_FOR_TURN_ERRORS] as const

/** The reason why a request sends a turn: it responds at once, waits for the end, or reads the events. */
export type SentFor = "acceptance" | "end" | "events"

/** Accepts a turn, and runs it in place if the request stays. Throws the errors of `acceptTurn`. */
export async function sendTurnFor(
  ctx: Context,
  credential: Credential,
  asked: NewTurn,
  sentFor: SentFor,
): Promise<SentTurn> {
  if (sentFor === "acceptance") return { ...(await acceptTurn(ctx, credential, asked)), own: null }
  // Too many open waits refuse the turn before it is sent.
  new Waiter(ctx.clock, tokenOf(credential)).leave()
  return sendInPlace(ctx, credential, asked, { reads: sentFor === "events" })
}

export interface SentTurn extends Made<TurnRow> {
  /** The run of the turn, if it runs in place. `pushes` ends with the run, or if the connection breaks. */
  own: OwnPushes | null
}

/**
 * Sends a turn and returns it when it has ended or waits, or `waitSeconds` have passed. If it can start now, the
 * callbacks worker runs it during this request (docs/architecture/runs-in-place.md). Throws the errors of
 * `acceptTurn`; QUOTA_EXCEEDED if the caller has too many open waits, and then no turn is accepted.
 */
export async function sendTurn(
  ctx: Context,
  credential: Credential,
  asked: NewTurn,
  { waitSeconds, signal }: { waitSeconds: number; signal: AbortSignal },
): Promise<Made<TurnRow>> {
  const until = ctx.clock.now().getTime() + waitSeconds * 1000
  const waiter = new Waiter(ctx.clock, tokenOf(credential))
  let sent: SentTurn
  try {
    sent = await sendInPlace(ctx, credential, asked, { reads: false })
    if (sent.own) await endOf(ctx, sent.own, { until, signal })
  } finally {
    waiter.leave()
  }
  return { ...sent, made: await waitForSent(ctx, credential, { ...sent, own: null }, { until, signal }) }
}

/**
 * Returns a turn that was just sent when it has ended or waits, at `until`, or when the client leaves. If the database
 * is too busy until then, returns the turn as it was accepted.
 */
export async function waitForSent(
  ctx: Context,
  credential: Credential,
  { made, own }: SentTurn,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<TurnRow> {
  if (own) {
    const waiter = waiterOf(ctx, credential, own)
    await endOf(ctx, own, { until, signal }).finally(() => waiter.leave())
  }
  if (isTerminal(made.state) || signal.aborted) return made
  const wait = () => {
    const waitSeconds = Math.max(0, until - ctx.clock.now().getTime()) / 1000
    return waitForTurn(ctx, credential, { turnId: made.turn_id, waitSeconds, signal, knowsWait: false })
  }
  return lookAgain(ctx, wait, { until, signal }).catch((error: unknown) => {
    if (isUnavailable(error)) return made
    throw error
  })
}

function waiterOf({ clock }: Context, credential: Credential, own: OwnPushes): Waiter {
  try {
    return new Waiter(clock, tokenOf(credential))
  } catch (error) {
    own.leave()
    throw error
  }
}

/** Resolves at the end of a run, at `until`, or when the client leaves. */
async function endOf(
  { clock }: Context,
  own: OwnPushes,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<void> {
  const stop = new AbortController()
  const ended = (async () => {
    for await (const _ of own.pushes);
  })()
  const late = clock.sleep(Math.max(0, until - clock.now().getTime()), AbortSignal.any([signal, stop.signal]))
  await Promise.race([ended, late.catch(() => {})])
  stop.abort(new Error("the run is over"))
  own.leave()
}

/**
 * Accepts a turn, if possible through the callbacks worker, which then runs it if it can start now. `reads`: the
 * request reads the events of the turn.
 */
export async function sendInPlace(
  ctx: Context,
  credential: Credential,
  asked: NewTurn,
  { reads }: { reads: boolean },
): Promise<SentTurn> {
  const turnId = newId("turn", ctx.clock.now())
  // An acceptance by the callbacks worker whose answer is lost is found by the turn's id.
  const accept = async () => ({ ...(await acceptTurn(ctx, credential, { ...asked, turnId })), own: null })
  const over = new AbortController()
  const leave = () => over.abort(new Error("the request is over"))
  const stop = ctx.clock.after(IN_PLACE_POLICY.answerMs, leave)
  try {
    const { idempotencyKey: idempotency_key, body, trace = null } = asked
    const input = {
      credential: await passCredential(ctx, credential, turnId),
      request_id: ctx.requestId,
      address: ctx.address,
      turn_id: turnId,
      reads,
      position: asked.position ?? null,
      idempotency_key,
      trace: trace && { traceparent: trace.traceparent, tracestate: trace.tracestate ?? null },
      body,
    }
    const response = await openCallbacksWorker(ctx, RUN_TURN_PATH, input, over.signal)
    const messages = messagesIn(response, over.signal)
    const first = (await messages.next()).value as RunMessage | undefined
    if (first && "rates" in first) ctx.windows.shown = first.rates
    if (first?.kind === "refused") throw errorSent(first.error)
    if (first?.kind !== "accepted") throw new TurnpikeError("UNAVAILABLE", "The answer has no turn.")
    const { turn, replayed, runs } = first
    Object.assign(ctx.logged, logIds(turn), { account: turn.user_id })
    if (!runs) leave()
    return { made: turn, replayed, own: runs ? { pushes: pushesIn(messages), leave } : null }
  } catch (error) {
    leave()
    if (!(error instanceof TurnpikeError) || error.code === "UNAVAILABLE") {
      ctx.log("error", "turn.not_in_place", { error: describeError(error) })
      const until = ctx.clock.now().getTime() + STREAM_POLICY.ownLookMs
      return lookAgain(ctx, accept, { until, signal: new AbortController().signal }).catch((last: unknown) => {
        throw isUnavailable(last) ? unsureTurn(last) : last
      })
    }
    throw error
  } finally {
    stop()
  }
}

async function* pushesIn(messages: AsyncGenerator<RunMessage>): AsyncGenerator<Push> {
  for await (const message of messages) {
    if (message.kind === "over") return
    if (message.kind === "push") yield message.push
  }
}

/** The lines of an answer. Ends when the connection breaks. */
async function* messagesIn(response: Response, signal: AbortSignal): AsyncGenerator<RunMessage> {
  const reader = response.body?.getReader()
  if (!reader) return
  // Cancelled, too, because not every platform tells the other side about an aborted signal.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true })
  const decoder = new TextDecoder()
  let rest = ""
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) yield JSON.parse(line) as RunMessage
  }
}
