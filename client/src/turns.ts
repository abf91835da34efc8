import { TimeoutError } from "./errors.ts"
import { followTurn, isOver } from "./follow-turn.ts"
import type { List } from "./list.ts"
import type {
  CreateWatchToken,
  PatchTurn,
  Turn,
  TurnEstimate,
  TurnEvent,
  TurnMessages,
  TurnReceipt,
  WatchToken,
} from "./operations.ts"
import type { CreateOptions, CreateTurnOptions, NewTurn, RequestOptions, RunOptions } from "./options.ts"
import { sleep } from "./runtime.ts"
import type { Query, Transport } from "./transport.ts"

/** The number of seconds that the service may hold a response. It is at most half of the time limit of an attempt. */
const MOST_WAIT_SECONDS = 30
/** The pause in milliseconds after a response that came sooner than that. */
const LEAST_PAUSE_MS = 1_000

/** A turn that was sent. `first`: the response with its events; null if the response was the turn. */
interface Opened {
  turnId: string
  turn?: Turn
  first: Response | null
}

/** A turn whose `output` has a type of yours: the service has checked it against your schema. */
export type TurnWith<Output> = Omit<Turn, "output"> & { output: Output | null }

/** A turn and its events as they happen. */
export interface TurnStream extends AsyncIterable<TurnEvent> {
  /** The turn as it was accepted. The first call, or the first read of the stream, sends the turn. */
  accepted(): Promise<Turn>
  /** The turn after it has ended. */
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
   * Sends a turn and returns as soon as it is accepted, in the state `queued`, or with `wait` at its end. Repeated
   * calls with one `idempotencyKey` create only one turn. `max_cost_usd` limits its cost.
   *
   * @example
   * const turn = await turnpike.turns.create(
   *   { space: "spc_…", end_user_ref: "customer-42", text: "Where is my order?" },
   *   { idempotencyKey: `order-${order.id}` },
   * )
   */
  create<Output = unknown>(body: NewTurn, { wait, ...options }: CreateTurnOptions = {}): Promise<TurnWith<Output>> {
    return this.#transport.call("createTurn", { body, query: { wait } }, options) as Promise<TurnWith<Output>>
  }

  /**
   * Checks whether a turn would be accepted now. Returns the hold that it would take or the error that it would get.
   * Nothing is sent or held. Errors that do not concern money are thrown, as by `create`.
   *
   * @example
   * const { admitted, refused_by } = await turnpike.turns.estimate({ space, end_user_ref: "customer-42", text })
   * if (!admitted) console.log(refused_by?.code, refused_by?.retry_after)
   */
  estimate(body: NewTurn, options?: RequestOptions): Promise<TurnEstimate> {
    return this.#transport.call("estimateTurn", { body }, options)
  }

  /**
   * Sends a turn and waits until it is `done`, `failed` or `cancelled`. A failed turn is returned and not thrown:
   * check `state` and `error.code`. With your own `idempotencyKey`, a second call after a crash continues with the
   * same turn.
   *
   * @example
   * const turn = await turnpike.turns.run({ space, end_user_ref: "customer-42", text: "Where is my order?" })
   * console.log(turn.state === "done" ? turn.result : turn.error?.code, turn.billed_cost_usd)
   *
   * @example
   * const turn = await turnpike.turns.run<{ city: string }>({ space, end_user_ref, text, response_format })
   * console.log(turn.output?.city)
   */
  async run<Output = unknown>(body: NewTurn, options: RunOptions = {}): Promise<TurnWith<Output>> {
    const { timeoutMs, onEvent, onWaiting, cancelOnAbort = false, signal, ...rest } = options
    const late = new AbortController()
    const takeBack = timeoutMs === undefined ? () => {} : this.#transport.runtime.after(timeoutMs, () => late.abort())
    const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const { maxRetries } = rest
    const reading = { signal: either, maxRetries }
    let turnId: string | undefined
    try {
      const sending = { ...rest, signal: either }
      if (onEvent || onWaiting) {
        const { first, ...sent } = await this.#open(body, sending)
        turnId = sent.turnId
        for await (const event of followTurn(this.#transport, turnId, { ...reading, first })) {
          await onEvent?.(event)
          if (onWaiting && event.type === "turn.waiting") await this.#tell(turnId, onWaiting, reading)
        }
      } else {
        // Without a limit the request itself runs the turn. Otherwise the turn's id is needed before its end.
        const wait = signal || timeoutMs !== undefined ? 0 : this.#mostWait(rest)
        const turn = await this.create<Output>(body, { ...sending, ...(wait > 0 && { wait }) })
        if (isOver(turn)) return turn
        turnId = turn.turn_id
      }
      return await this.wait<Output>(turnId, reading)
    } catch (error) {
      if (turnId && cancelOnAbort && either.aborted) await this.cancel(turnId, { maxRetries }).catch(() => {})
      if (!late.signal.aborted || signal?.aborted) throw error
      throw new TimeoutError(`The turn has not ended within ${timeoutMs} ms.`, {
        code: "TIMEOUT",
        retryable: true,
        details: { turn_id: turnId ?? null },
      })
    } finally {
      takeBack()
    }
  }

  /** Sends a turn, and opens its events with the same request. A service without this form answers with the turn. */
  async #open(body: NewTurn, options: CreateOptions): Promise<Opened> {
    const headers = { accept: "text/event-stream" }
    const response = await this.#transport.open("createTurn", { body }, options, { headers })
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      return { turnId: response.headers.get("location")?.split("/").at(-1) ?? "", first: response }
    }
    const turn = (await response.json()) as Turn
    return { turnId: turn.turn_id, turn, first: null }
  }

  #mostWait({ timeoutMs = this.#transport.timeoutMs }: RequestOptions): number {
    return Math.min(MOST_WAIT_SECONDS, Math.floor(timeoutMs / 2000))
  }

  async #tell(turnId: string, onWaiting: (turn: Turn) => void | Promise<void>, options: RequestOptions): Promise<void> {
    const turn = await this.get(turnId, {}, options)
    if (turn.waiting) await onWaiting(turn)
  }

  /**
   * Raises `max_cost_usd` of a turn that has not ended. If the turn waits for this limit, it continues.
   *
   * @example
   * await turnpike.turns.update("turn_…", { max_cost_usd: 0.5 })
   */
  update(turnId: string, body: PatchTurn, options?: CreateOptions): Promise<Turn> {
    return this.#transport.call("patchTurn", { params: { turn_id: turnId }, body }, options)
  }

  /**
   * Returns a stream of a turn's events. The turn is sent when the stream is first read.
   *
   * @example
   * const stream = turnpike.turns.stream({ space, end_user_ref: "customer-42", text: "Tell me more." })
   * for await (const event of stream) if (event.type === "text.delta") process.stdout.write(String(event.data.text))
   * const turn = await stream.result()
   */
  stream(body: NewTurn, options: CreateOptions = {}): TurnStream {
    const { idempotencyKey: _key, ...reading } = options
    let sent: Promise<Opened> | undefined
    const send = () => {
      sent ??= this.create(body, options).then((turn) => ({ turnId: turn.turn_id, turn, first: null }))
      return sent
    }
    const transport = this.#transport
    const follow = async function* (turns: Turns) {
      // Only the first reader gets the response that sent the turn.
      const own = sent === undefined
      sent ??= turns.#open(body, options)
      const { turnId, first } = await sent
      yield* followTurn(transport, turnId, { ...reading, first: own ? first : null })
    }
    return {
      accepted: async () => {
        const { turn, turnId } = await send()
        return turn ?? this.get(turnId, {}, reading)
      },
      result: async () => this.wait((await send()).turnId, reading),
      [Symbol.asyncIterator]: () => follow(this),
    }
  }

  /**
   * Waits until a turn has ended, with as many long polls as necessary.
   *
   * @example
   * const turn = await turnpike.turns.wait("turn_…", { signal: AbortSignal.timeout(60_000) })
   */
  async wait<Output = unknown>(turnId: string, options: RequestOptions = {}): Promise<TurnWith<Output>> {
    const { runtime } = this.#transport
    const wait = this.#mostWait(options)
    for (;;) {
      const asked = runtime.now()
      const turn = await this.get(turnId, { wait }, options)
      if (isOver(turn)) return turn as TurnWith<Output>
      if (runtime.now() - asked < LEAST_PAUSE_MS) await sleep(runtime, LEAST_PAUSE_MS, options.signal)
    }
  }

  /**
   * Reads a turn. With `wait`, the response comes when the turn ends, or after this many seconds (at most 30).
   *
   * @example
   * const { state, result } = await turnpike.turns.get("turn_…")
   */
  get(turnId: string, query: Query<"getTurn"> = {}, options?: RequestOptions): Promise<Turn> {
    return this.#transport.call("getTurn", { params: { turn_id: turnId }, query }, options)
  }

  /**
   * Lists turns, newest first.
   *
   * @example
   * for await (const turn of turnpike.turns.list({ state: "failed" })) console.log(turn.turn_id, turn.error?.code)
   */
  list(query: Query<"listTurns"> = {}, options?: RequestOptions): List<Turn> {
    return this.#transport.list("listTurns", { query }, options)
  }

  /**
   * Creates a token with which a browser may watch the turn: `new EventSource(url)`. The browser sees the text while it
   * is written, and the names of tools, but no cost. `expires_in` is in seconds, at most 900.
   *
   * @example
   * const { url } = await turnpike.turns.createWatchToken("turn_…", { expires_in: 120 })
   */
  createWatchToken(turnId: string, body: CreateWatchToken = {}, options?: RequestOptions): Promise<WatchToken> {
    return this.#transport.call("createWatchToken", { params: { turn_id: turnId }, body }, options)
  }

  /**
   * Reads the signed receipt of an ended turn, and its refund if there is one. Throws ConflictError (TURN_NOT_ENDED)
   * while the turn is open.
   *
   * @example
   * const { receipt } = await turnpike.turns.receipt("turn_…")
   * console.log(receipt.document.total_usd, receipt.digest)
   */
  receipt(turnId: string, options?: RequestOptions): Promise<TurnReceipt> {
    return this.#transport.call("getTurnReceipt", { params: { turn_id: turnId } }, options)
  }

  /**
   * Cancels a turn. A queued turn ends at once, and a running turn stops before its next step. A second cancel
   * returns the same turn. Throws ConflictError (TURN_FINISHED) if the turn is already done or failed.
   *
   * @example
   * await turnpike.turns.cancel("turn_…")
   */
  cancel(turnId: string, options?: CreateOptions): Promise<Turn> {
    return this.#transport.call("cancelTurn", { params: { turn_id: turnId } }, options)
  }

  /**
   * A turn's events as they happen, from the first event or after `afterSeq`, up to the last. Each event comes once
   * and in order, even if the connection breaks.
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
   * Reads the messages of a turn as they were sent. A text is one message of the user.
   *
   * @example
   * const { messages } = await turnpike.turns.getMessages("turn_…")
   */
  getMessages(turnId: string, options?: RequestOptions): Promise<TurnMessages> {
    return this.#transport.call("getTurnMessages", { params: { turn_id: turnId } }, options)
  }

  /**
   * Lists the events so far, oldest first, without waiting for more.
   *
   * @example
   * const events = await turnpike.turns.listEvents("turn_…").toArray()
   */
  listEvents(turnId: string, query: Query<"listTurnEvents"> = {}, options?: RequestOptions): List<TurnEvent> {
    return this.#transport.list("listTurnEvents", { params: { turn_id: turnId }, query }, options)
  }
}
