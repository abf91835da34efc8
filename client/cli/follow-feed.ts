import { ConnectionError, TurnpikeError } from "../src/errors.ts"
import type { Page } from "../src/list.ts"
import type { FeedEvent } from "../src/operations.ts"
import { isWorthRetrying, waitBefore } from "../src/retry.ts"
import { sleep } from "../src/runtime.ts"
import type { Transport } from "../src/transport.ts"

/** An event, and its text exactly as a webhook receives it. */
export interface FedEvent {
  event: FeedEvent
  body: string
}

/** The pause in milliseconds after a page that had all events. */
const FEED_PAUSE_MS = 500

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
  let failures = 0
  for (;;) {
    const query = { order: "asc" as const, created_after: since, type: type as FeedEvent["type"], limit: 100, cursor }
    try {
      const { page, bodies } = await readPage(await transport.open("listEvents", { query }, { signal, maxRetries: 0 }))
      if (failures > 0) onBack?.()
      failures = 0
      for (const [index, event] of page.data.entries()) yield { event, body: bodies[index] ?? JSON.stringify(event) }
      cursor = page.next_cursor ?? cursor
      if (!page.has_more) await sleep(transport.runtime, FEED_PAUSE_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof TurnpikeError) || !isWorthRetrying(error, { safe: true })) throw error
      if (failures === 0) onLost?.(error)
      const waitMs = waitBefore(error, failures++, transport.runtime.random) ?? (error.retryAfter ?? 0) * 1000
      await sleep(transport.runtime, waitMs, signal).catch(() => {})
      if (signal.aborted) return
    }
  }
}

/** Reads a page. A body that ended early is a lost connection. */
async function readPage(response: Response): Promise<{ page: Page<FeedEvent>; bodies: string[] }> {
  let text = ""
  let page: Page<FeedEvent> | null
  try {
    text = await response.text()
    page = JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError("The connection was lost.", { code: "CONNECTION_FAILED", retryable: true, cause })
  }
  if (Array.isArray(page?.data)) return { page, bodies: elementsOf(text) }
  throw new TurnpikeError("The response is not a list of events. Check the address of the service.", {
    code: "UNEXPECTED_ANSWER",
    status: response.status,
    details: text.slice(0, 1000),
  })
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
