import { ConnectionError, TurnpikeError } from "../src/errors.ts"
import type { FeedEvent } from "../src/operations.ts"
import { isWorthRetrying } from "../src/retry.ts"
import { sleep } from "../src/runtime.ts"
import type { Transport } from "../src/transport.ts"

/** An event, and its text exactly as a webhook receives it. */
export interface FedEvent {
  event: FeedEvent
  body: string
}

const FEED_POLICY = {
  /** The pause after a page that had all events. */
  pauseMs: 500,
  /** The waits between attempts while the service does not respond: doubled from the first to the most. */
  firstRetryMs: 500,
  mostRetryMs: 10_000,
}

interface FollowOptions {
  /** Only events that were created at or after this time. */
  since: string
  type?: string | undefined
  signal: AbortSignal
  onLost?: (error: TurnpikeError) => void
  onBack?: () => void
}

/**
 * All events from `since` on, each once and in the order of the feed, until the signal is aborted. A lost connection
 * is tried again for as long as it takes, and the feed continues where it stopped.
 */
export async function* followFeed(transport: Transport, options: FollowOptions): AsyncGenerator<FedEvent, void> {
  const { since, type, signal, onLost, onBack } = options
  let cursor: string | undefined
  let retryMs = 0
  for (;;) {
    const query = { order: "asc" as const, created_after: since, type: type as FeedEvent["type"], limit: 100, cursor }
    try {
      const response = await transport.open("listEvents", { query }, { signal, maxRetries: 0 })
      const text = await response.text()
      const page = JSON.parse(text) as { data: FeedEvent[]; has_more: boolean; next_cursor: string | null }
      if (retryMs > 0) onBack?.()
      retryMs = 0
      const bodies = elementsOf(text)
      for (const [index, event] of page.data.entries()) yield { event, body: bodies[index] ?? JSON.stringify(event) }
      cursor = page.next_cursor ?? cursor
      if (!page.has_more) await sleep(transport.runtime, FEED_POLICY.pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      const failure = lossOf(error)
      if (!failure) throw error
      if (retryMs === 0) onLost?.(failure)
      retryMs = Math.min(retryMs * 2 || FEED_POLICY.firstRetryMs, FEED_POLICY.mostRetryMs)
      const waitMs = Math.max(retryMs, (failure.retryAfter ?? 0) * 1000)
      await sleep(transport.runtime, waitMs, signal).catch(() => {})
      if (signal.aborted) return
    }
  }
}

/** The error if a later attempt can succeed. A body that ended early is a lost connection too. */
function lossOf(error: unknown): TurnpikeError | null {
  if (error instanceof TurnpikeError) return isWorthRetrying(error, { safe: true }) ? error : null
  if (!(error instanceof Error)) return null
  return new ConnectionError("The connection was lost.", { code: "CONNECTION_FAILED", retryable: true, cause: error })
}

/** The texts of the entries of `data` in a page. Parsing and writing them again could change how numbers look. */
export function elementsOf(text: string): string[] {
  const start = /^\s*\{\s*"data"\s*:\s*\[/.exec(text)?.[0].length
  if (start === undefined) return []
  const found: string[] = []
  let depth = 0
  let from = start
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === "\\") at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{" || char === "[") depth++
    else if (char === "}" || (char === "]" && depth > 0)) depth--
    else if (depth === 0 && (char === "," || char === "]")) {
      const element = text.slice(from, at).trim()
      if (element) found.push(element)
      from = at + 1
      if (char === "]") break
    }
  }
  return found
}
