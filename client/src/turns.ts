import { TimeoutError } from "./errors.ts"
import { followTurn, isOver } from "./follow-turn.ts"
import type { List } from "./list.ts"
import type { CreateTurn, Turn, TurnEstimate, TurnEvent } from "./operations.ts"
import type { CreateOptions, RequestOptions } from "./options.ts"
import { sleep } from "./runtime.ts"
import type { Query, Transport } from "./transport.ts"

/** How `run` waits. */
export interface RunOptions extends Omit<CreateOptions, "timeoutMs"> {
  /** The time limit in milliseconds; then TimeoutError, with `details.turn_id`. Default: as long as the turn takes. */
  timeoutMs?: number | undefined
  /** Called with each event as it happens, including the agent's text (`text.delta`). */
  onEvent?: ((event: TurnEvent) => void | Promise<void>) | undefined
  /** Cancels the turn when `signal` or `timeoutMs` ends the wait. Default: the turn goes on and is billed. */
  cancelOnAbort?: boolean | undefined
}

/** How many seconds the service may wait before it answers; at most half of what an attempt may take. */
const MOST_WAIT_SECONDS = 30
/** The pause in milliseconds after an answer that came earlier than asked for. */
const LEAST_PAUSE_MS = 1_000

/** A turn that was sent, and its events as they happen. */
export interface TurnStream extends AsyncIterable<TurnEvent> {
  /** The turn as it was accepted. Calling this sends it, and so does reading the stream. */
  accepted(): Promise<Turn>
  /** The turn once it has ended. */
  result(): Promise<Turn>
}

/** Requests to a space's agent. */
export class Turns {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Sends a turn and answers as soon as it is accepted, `queued`. However often it is repeated with one `idempotencyKey`, one
   * turn is made. `max_cost_usd` bounds its price.
   *
   * @example
   * const turn = await turnpike.turns.create(
   *   { space: "spc_…", end_user_ref: "customer-42", text: "Where is my order?" },
   *   { idempotencyKey: `order-${order.id}` },
   * )
   */
  create(body: CreateTurn, options?: CreateOptions): Promise<Turn> {
    return this.#transport.call("createTurn", { body }, options)
  }

  /**
   * Whether a turn would be accepted now, what it would hold, and which limit would refuse it. Nothing is sent or held. Errors
   * that have nothing to do with money are thrown, as `create` throws them.
   *
   * @example
   * const { admitted, refused_by } = await turnpike.turns.estimate({ space: "spc_…", end_user_ref: "customer-42", text })
   * if (!admitted) console.log(refused_by?.code, refused_by?.retry_after)
   */
  estimate(body: CreateTurn, options?: RequestOptions): Promise<TurnEstimate> {
    return this.#transport.call("estimateTurn", { body }, options)
  }

  /**
   * Sends a turn and waits until it has ended: `done`, `failed` or `cancelled`. A failed turn is an answer, not an error: look
   * at `state`, and at `error.code`. With your own `idempotencyKey`, asking again after a crash continues with the same turn.
   *
   * @example
   * const turn = await turnpike.turns.run({ space, end_user_ref: "customer-42", text: "Where is my order?" })
   * console.log(turn.state === "done" ? turn.result : turn.error?.code, turn.billed_cost_usd)
   */
  async run(body: CreateTurn, options: RunOptions = {}): Promise<Turn> {
    const { timeoutMs, onEvent, cancelOnAbort = false, signal, ...rest } = options
    const late = new AbortController()
    const takeBack = timeoutMs === undefined ? () => {} : this.#transport.runtime.after(timeoutMs, () => late.abort())
    const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    let turn: Turn | undefined
    try {
      turn = await this.create(body, { ...rest, signal: either })
      const { maxRetries } = rest
      if (onEvent) {
        for await (const event of this.events(turn.turn_id, { signal: either, maxRetries })) await onEvent(event)
      }
      return await this.wait(turn.turn_id, { signal: either, maxRetries })
    } catch (error) {
      if (turn && cancelOnAbort && either.aborted) await this.cancel(turn.turn_id).catch(() => {})
      if (!late.signal.aborted || signal?.aborted) throw error
      throw new TimeoutError(`The turn has not ended within ${timeoutMs} ms.`, {
        code: "TIMEOUT",
        retryable: true,
        details: { turn_id: turn?.turn_id ?? null },
      })
    } finally {
      takeBack()
    }
  }

  /**
   * Sends a turn when it is first read, and gives its events as they happen.
   *
   * @example
   * const stream = turnpike.turns.stream({ space, end_user_ref: "customer-42", text: "Tell me more." })
   * for await (const event of stream) if (event.type === "text.delta") process.stdout.write(String(event.data.text))
   * const turn = await stream.result()
   */
  stream(body: CreateTurn, options: CreateOptions = {}): TurnStream {
    const { idempotencyKey: _key, ...reading } = options
    let sent: Promise<Turn> | undefined
    const accepted = () => {
      sent ??= this.create(body, options)
      return sent
    }
    const follow = async function* (turns: Turns) {
      yield* turns.events((await accepted()).turn_id, reading)
    }
    return {
      accepted,
      result: async () => this.wait((await accepted()).turn_id, reading),
      [Symbol.asyncIterator]: () => follow(this),
    }
  }

  /**
   * Waits until a turn has ended, over as many long polls as it takes.
   *
   * @example
   * const turn = await turnpike.turns.wait("turn_…", { signal: AbortSignal.timeout(60_000) })
   */
  async wait(turnId: string, options: RequestOptions = {}): Promise<Turn> {
    const { runtime, timeoutMs } = this.#transport
    const half = Math.floor((options.timeoutMs ?? timeoutMs) / 2000)
    const wait = Math.min(MOST_WAIT_SECONDS, half)
    for (;;) {
      const asked = runtime.now()
      const turn = await this.get(turnId, { wait }, options)
      if (isOver(turn)) return turn
      if (runtime.now() - asked < LEAST_PAUSE_MS) await sleep(runtime, LEAST_PAUSE_MS, options.signal)
    }
  }

  /**
   * Reads a turn; with `wait`, holds the answer until it has ended or so many seconds (at most 30) have gone.
   *
   * @example
   * const { state, result } = await turnpike.turns.get("turn_…")
   */
  get(turnId: string, query: Query<"getTurn"> = {}, options?: RequestOptions): Promise<Turn> {
    return this.#transport.call("getTurn", { params: { turn_id: turnId }, query }, options)
  }

  /**
   * Turns, newest first.
   *
   * @example
   * for await (const turn of turnpike.turns.list({ state: "failed" })) console.log(turn.turn_id, turn.error?.code)
   */
  list(query: Query<"listTurns"> = {}, options?: RequestOptions): List<Turn> {
    return this.#transport.list("listTurns", { query }, options)
  }

  /**
   * Cancels a turn: a queued one at once, a running one at its next boundary. Cancelling twice gives the same answer. ConflictError (TURN_FINISHED) when it
   * is done or failed already.
   *
   * @example
   * await turnpike.turns.cancel("turn_…")
   */
  cancel(turnId: string, options?: CreateOptions): Promise<Turn> {
    return this.#transport.call("cancelTurn", { params: { turn_id: turnId } }, options)
  }

  /**
   * A turn's events as they happen, from the first or from behind `afterSeq`, to its last. Each comes once, in the order of
   * `seq`, however often the connection breaks.
   *
   * @example
   * for await (const event of turnpike.turns.events("turn_…")) console.log(event.seq, event.type)
   */
  events(
    turnId: string,
    options: RequestOptions & { afterSeq?: number | undefined } = {},
  ): AsyncGenerator<TurnEvent, void, undefined> {
    return followTurn(this.#transport, turnId, options)
  }

  /**
   * The events that there are, oldest first, without waiting for more.
   *
   * @example
   * const events = await turnpike.turns.listEvents("turn_…").toArray()
   */
  listEvents(turnId: string, query: Query<"listTurnEvents"> = {}, options?: RequestOptions): List<TurnEvent> {
    return this.#transport.list("listTurnEvents", { params: { turn_id: turnId }, query }, options)
  }
}
