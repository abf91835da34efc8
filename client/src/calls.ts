import { ConflictError, NotFoundError } from "./errors.ts"
import type { CallResult, Decision, RenewCall, TakenCall, Turn } from "./operations.ts"
import type { CreateOptions, RequestOptions } from "./options.ts"
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
  /** Called with each error that is not one of the handler. Default: it is ignored and `work` continues. */
  onError?: ((error: unknown) => void) | undefined
}

/** The number of seconds that the service may hold a response. */
const MOST_WAIT_SECONDS = 30
/** A taken call is renewed this often in milliseconds, while its handler runs. */
const RENEW_MS = 20_000
const PAUSE_MS = 1_000

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
  decide(turnId: string, call: string, body: Decision, options?: CreateOptions): Promise<Turn> {
    return this.#transport.call("decideCall", { params: { turn_id: turnId, call }, body }, options)
  }

  /**
   * Sends the result of a call that comes later. A result counts once: the same one again has no effect.
   *
   * @example
   * await turnpike.calls.sendResult("turn_…", "0.0", { output: { refunded: true } })
   */
  sendResult(turnId: string, call: string, body: CallResult, options?: CreateOptions): Promise<Turn> {
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
   * error that it throws is the error that the agent reads. A call can come again after a crash: its turn and `call`
   * identify it.
   *
   * @example
   * await turnpike.calls.work(async ({ tool, input }) => shelf[tool](input), { signal: stopping.signal })
   */
  async work(handler: (call: TakenCall) => unknown, options: WorkOptions = {}): Promise<void> {
    const workers = Array.from({ length: options.concurrency ?? 1 }, () => this.#loop(handler, options))
    await Promise.all(workers)
  }

  async #loop(handler: (call: TakenCall) => unknown, options: WorkOptions): Promise<void> {
    const { space, tools, concurrency: _concurrency, onError, ...rest } = options
    const { runtime, timeoutMs } = this.#transport
    const wait = Math.min(MOST_WAIT_SECONDS, Math.floor((rest.timeoutMs ?? timeoutMs) / 2000))
    const query = { wait, ...(space && { space }), ...(tools && { tool: tools }) }
    while (!rest.signal?.aborted) {
      const asked = runtime.now()
      try {
        const { data } = await this.take(query, rest)
        for (const call of data) await this.#answer(call, handler, onError)
        if (data.length > 0) continue
      } catch (error) {
        if (rest.signal?.aborted) return
        onError?.(error)
      }
      if (runtime.now() - asked < PAUSE_MS) await sleep(runtime, PAUSE_MS, rest.signal).catch(() => {})
    }
  }

  /** Runs the handler for one call and sends its result. The call is finished even if `signal` aborts in the meantime. */
  async #answer(call: TakenCall, handler: (call: TakenCall) => unknown, onError: WorkOptions["onError"]) {
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
      const body = await Promise.resolve()
        .then(() => handler(call))
        .then(
          (output): CallResult => ({ output: output ?? null }),
          (error: unknown): CallResult => ({ error: error instanceof Error ? error.message : String(error) }),
        )
      await this.sendResult(call.turn_id, call.call, body)
    } catch (error) {
      // The turn has ended, or another worker was faster.
      if (!(error instanceof ConflictError || error instanceof NotFoundError)) onError?.(error)
    } finally {
      takeBack()
    }
  }
}
