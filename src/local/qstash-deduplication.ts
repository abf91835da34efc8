import { createHash } from "node:crypto"
import type { PublishOptions } from "./qstash-headers.ts"

const WINDOW_MS = 600_000

/** The ids of the last 10 minutes. All live equally long, so the oldest are always first. */
export class Deduplication {
  private readonly seen = new Map<string, { messageId: string; expiresAt: number }>()

  /** The id of the message that was accepted under this key within the window. */
  find(key: string, now: number): string | undefined {
    for (const [old, { expiresAt }] of this.seen) {
      if (expiresAt > now) break
      this.seen.delete(old)
    }
    return this.seen.get(key)?.messageId
  }

  remember(key: string, messageId: string, now: number): void {
    this.seen.set(key, { messageId, expiresAt: now + WINDOW_MS })
  }
}

/** The key of a publish: its own id, or a digest of destination, forwarded headers and body. */
export function deduplicationKey(url: string, options: PublishOptions, body: Buffer): string | undefined {
  if (options.deduplicationId !== undefined) return `id:${options.deduplicationId}`
  if (!options.isContentDeduplicated) return undefined
  const headers = Object.entries(options.headers).sort(([a], [b]) => (a < b ? -1 : 1))
  return `content:${createHash("sha256")
    .update(JSON.stringify([url, headers]))
    .update(body)
    .digest("base64url")}`
}
