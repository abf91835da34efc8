import { ConflictError, NotFoundError, ValidationError } from "./errors.ts"
import type { CallResult, DecidedCall, Decision, RenewCall, TakenCall, TakenResult } from "./operations.ts"
import { type CreateOptions, checkRequestOptions, type RequestOptions, wholeNumber } from "./options.ts"
import { sleep } from "./runtime.ts"
import type { Query, Transport } from "./transport.ts"

/** Options of `work`. */
export interface WorkOptions extends RequestOptions {
  /** Only calls of this space. */
  space?: string | undefined
  /** Only calls of these tools. */
  tools?: string[] | undefined
  /** The most calls that are worked on at the same time. Default: 1. */
  concurrency?: number | undefined
  /**
   * Called with each error that is not one of the handler. Default: `console.warn`. `work` continues, unless this
   * function throws.
   */
  onError?: ((error: unknown) => void) | undefined
}

/** The arguments of `work`. */
interface Job {
  handler: (call: TakenCall) => unknown
  onError: (error: unknown) => void
  query: Query<"takeCalls">
  taking: RequestOptions & { signal: AbortSignal }
}

/** The number of seconds that the service may hold a response. */
const MOST_WAIT_SECONDS = 30
/** A taken call is renewed this often in milliseconds, while its handler runs. */
const RENEW_MS = 20_000
/** The pause in milliseconds after a response without a call that came sooner than that. */
const PAUSE_MS = 1_000
/** A longer error is cut. The service accepts at most 4,096 units of UTF-16. */
const MOST_ERROR_LENGTH = 2_000
const NO_TEXT = "The handler failed."

/** Calls that turns wait for: decisions, later results, and calls for workers of yours. */
export class Calls {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Allows or denies a call that waits for a decision. The first decision wins; another one throws ConflictError
   * (CALL_DECIDED).
   *
   * @example
   * for await (const turn of turnpike.turns.list({ waiting: "approval" })) {
   *   for (const { call, tool, input } of turn.waiting?.calls ?? []) {
   *     await turnpike.calls.decide(turn.turn_id, call, { decision: isFine(tool, input) ? "allow" : "deny" })
   *   }
   * }
   */
  decide(turnId: string, call: string, body: Decision, options?: CreateOptions): Promise<DecidedCall> {
    return this.#transport.call("decideCall", { params: { turn_id: turnId, call }, body }, options)
  }

  /**
   * Sends the result of a call that comes later. A result counts once: the same one again has no effect.
   *
   * @example
   * await turnpike.calls.sendResult("turn_…", "0.0", { output: { refunded: true } })
   */
  sendResult(turnId: string, call: string, body: CallResult, options?: CreateOptions): Promise<TakenResult> {
    return this.#transport.call("sendCallResult", { params: { turn_id: turnId, call }, body }, options)
  }

  /**
   * Takes calls of tools without a request. `work` does that in a loop.
   *
   * @example
   * const { data } = await turnpike.calls.take({ wait: 30 })
   */
  take(query: Query<"takeCalls"> = {}, options?: RequestOptions): Promise<{ data: TakenCall[] }> {
    return this.#transport.call("takeCalls", { query }, options)
  }

  /**
   * Keeps a taken call for another minute. Throws ConflictError if it has its result, or belongs to another worker.
   *
   * @example
   * await turnpike.calls.renew(taken.turn_id, taken.call, { takes: taken.takes })
   */
  renew(turnId: string, call: string, body: RenewCall, options?: CreateOptions): Promise<{ taken_until: string }> {
    return this.#transport.call("renewCall", { params: { turn_id: turnId, call }, body }, options)
  }

  /**
   * Works on calls of tools without a request until `signal` aborts. The handler's return value is the result, and an
   * error that it throws is the error that the agent reads. If the service rejects a result, for example because it is
   * too large, the agent reads why. A call can come again after a crash: its turn and `call` identify it.
   *
   * @example
   * await turnpike.calls.work(async ({ tool, input }) => shelf[tool](input), { signal: stopping.signal })
   */
  async work(handler: (call: TakenCall) => unknown, options: WorkOptions = {}): Promise<void> {
    const { space, tools, concurrency = 1, onError = warn, signal, ...rest } = options
    wholeNumber("concurrency", concurrency, 1)
    checkRequestOptions(rest)
    const wait = Math.min(MOST_WAIT_SECONDS, Math.floor((rest.timeoutMs ?? this.#transport.timeoutMs) / 2000))
    const query = { wait, ...(space && { space }), ...(tools && { tool: tools }) }
    const failed = new AbortController()
    const stopped = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
    const job: Job = { handler, onError, query, taking: { ...rest, signal: stopped } }
    // The other loops finish their calls before the first error is thrown.
    const loops = Array.from({ length: concurrency }, () => this.#loop(job).catch((error) => failed.abort(error)))
    await Promise.all(loops)
    failed.signal.throwIfAborted()
  }

  async #loop(job: Job): Promise<void> {
    const { query, taking, onError } = job
    const { runtime } = this.#transport
    while (!taking.signal.aborted) {
      const asked = runtime.now()
      let calls: TakenCall[] = []
      try {
        const { data } = await this.take(query, taking)
        calls = [...data]
      } catch (error) {
        if (taking.signal.aborted) return
        onError(error)
      }
      for (const call of calls) await this.#answer(call, job)
      if (calls.length === 0 && runtime.now() - asked < PAUSE_MS)
        await sleep(runtime, PAUSE_MS, taking.signal).catch(() => {})
    }
  }

  /** Runs the handler for one call and sends its result. The call is finished even if `signal` aborts in the meantime. */
  async #answer(call: TakenCall, { handler, onError }: Job): Promise<void> {
    const { runtime } = this.#transport
    let takeBack = () => {}
    const renewLater = () => {
      takeBack = runtime.after(RENEW_MS, () => {
        renewLater()
        void this.renew(call.turn_id, call.call, { takes: call.takes }).catch(() => {})
      })
    }
    renewLater()
    try {
      const body = await resultOf(handler, call)
      await this.sendResult(call.turn_id, call.call, body).catch((error: unknown) => {
        if (!(error instanceof ValidationError)) throw error
        // Without a result the call would come again, and its result would be rejected again.
        return this.sendResult(call.turn_id, call.call, { error: textOf(error) })
      })
    } catch (error) {
      // The turn has ended, or another worker was faster.
      if (!(error instanceof ConflictError || error instanceof NotFoundError)) onError(error)
    } finally {
      takeBack()
    }
  }
}

const warn = (error: unknown) => console.warn("Turnpike: calls.work continues after an error:", error)

/** The result of a handler. A value that is not JSON is an error of the handler. */
async function resultOf(handler: Job["handler"], call: TakenCall): Promise<CallResult> {
  try {
    const output = await handler(call)
    const text: string | undefined = JSON.stringify(output === undefined ? null : output)
    if (text === undefined) throw new TypeError(`The result is not JSON, but a ${typeof output}.`)
    return { output: JSON.parse(text) }
  } catch (error) {
    return { error: textOf(error) }
  }
}

/** The text that the agent reads. It is never empty, and it is not cut within a character. */
function textOf(error: unknown): string {
  try {
    const text = String(error instanceof Error ? error.message || error.name : error)
    return text.slice(0, MOST_ERROR_LENGTH).replace(/[\ud800-\udbff]$/, "") || NO_TEXT
  } catch {
    return NO_TEXT
  }
}
