import { ConnectionError, TurnpikeError } from "./errors.ts"
import { chunksOf, readEventStream } from "./event-stream.ts"
import type { Turn, TurnEvent } from "./operations.ts"
import type { RequestOptions } from "./options.ts"
import { isWorthRetrying, waitBefore } from "./retry.ts"
import { sleep } from "./runtime.ts"
import type { Transport } from "./transport.ts"

/**
 * The service sends something at least every 15 s. After this many milliseconds without data the connection counts
 * as dead.
 */
const SILENCE_MS = 45_000

const END_EVENTS = new Set(["turn.done", "turn.failed", "turn.cancelled"])

export function isOver(turn: Turn): boolean {
  return turn.state === "done" || turn.state === "failed" || turn.state === "cancelled"
}

interface Following extends RequestOptions {
  afterSeq?: number | undefined
  /** The response of the request that sent the turn, if it has its events from the first one. */
  first?: Response | null | undefined
}

/**
 * The events of a turn after `afterSeq`, each once, up to the last. Several pieces of text can have the same `seq`. A
 * broken connection is reopened with Last-Event-ID. The error is thrown after `maxRetries` failures in a row without a
 * new event.
 */
export async function* followTurn(
  transport: Transport,
  turnId: string,
  { afterSeq = 0, first = null, ...options }: Following,
): AsyncGenerator<TurnEvent, void, undefined> {
  const maxFailures = options.maxRetries ?? transport.maxRetries
  let last = String(afterSeq)
  let opened = first
  let failures = 0
  let pauseMs = 1_000
  for (;;) {
    const before = last
    try {
      for await (const message of messagesOf(transport, turnId, {
        ...options,
        last,
        opened,
        onRetry: (ms) => (pauseMs = ms),
      })) {
        const event = eventOf(message.data)
        const id = message.id ?? String(event.seq)
        if (!isAfter(id, last)) continue
        // After an abort, the remaining events of the same chunk are dropped.
        options.signal?.throwIfAborted()
        last = id
        failures = 0
        yield event
        if (END_EVENTS.has(event.type)) return
      }
      opened = null
      // The stream ended normally. Reconnect, unless the turn has ended and `last` is its last event.
      if (last === before && isOver(await transport.call("getTurn", { params: { turn_id: turnId } }, options))) return
      await sleep(transport.runtime, pauseMs, options.signal)
    } catch (error) {
      opened = null
      options.signal?.throwIfAborted()
      if (!isWorthRetrying(error, { safe: true }) || failures >= maxFailures) throw error
      const wait = waitBefore(error, failures++, transport.runtime.random)
      if (wait === null) throw error
      await sleep(transport.runtime, wait, options.signal)
    }
  }
}

/** Compares ids such as `7`, `7.120` and `7.120~5.30`: the number of an event, and the text of calls shown since. */
function isAfter(id: string, last: string): boolean {
  const [[seq, text], [lastSeq, lastText]] = [orderOf(id), orderOf(last)]
  return seq > lastSeq || (seq === lastSeq && text > lastText)
}

function orderOf(id: string): [seq: number, text: number] {
  const [[seq = 0, own = 0] = [], ...others] = id.split("~").map((one) => one.split(".").map(Number))
  return [seq, others.reduce((sum, [, text = 0]) => sum + text, own)]
}

function eventOf(data: string): TurnEvent {
  try {
    return JSON.parse(data) as TurnEvent
  } catch (cause) {
    const fields = { code: "UNEXPECTED_ANSWER", details: data.slice(0, 1000), cause }
    throw new TurnpikeError("The stream has an unexpected form. Check baseUrl.", fields)
  }
}

async function* messagesOf(
  transport: Transport,
  turnId: string,
  {
    last,
    opened,
    onRetry,
    ...options
  }: RequestOptions & { last: string; opened: Response | null; onRetry: (ms: number) => void },
) {
  const silent = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, silent.signal]) : silent.signal
  const headers = { accept: "text/event-stream", ...(last !== "0" && { "last-event-id": last }) }
  const input = { params: { turn_id: turnId } }
  const response =
    opened ?? (await transport.open("listTurnEvents", input, { ...options, signal, maxRetries: 0 }, { headers }))
  const watched = (async function* () {
    const watch = () => transport.runtime.after(SILENCE_MS, () => silent.abort(new Error("silence")))
    let takeBack = watch()
    try {
      for await (const chunk of chunksOf(response.body)) {
        takeBack()
        yield chunk
        takeBack = watch()
      }
    } finally {
      takeBack()
    }
  })()
  try {
    yield* readEventStream(watched, onRetry)
  } catch (cause) {
    if (cause instanceof TurnpikeError) throw cause
    throw new ConnectionError("The event stream broke off.", { code: "CONNECTION_FAILED", retryable: true, cause })
  }
}
