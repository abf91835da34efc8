import { QstashRefusal } from "./qstash-errors.ts"
import { listed, messageFilter, pageSize } from "./qstash-filter.ts"
import { type DeadLetter, type Message, type Outcome, serializeDeadLetter } from "./qstash-message.ts"

const RETENTION_MS = 7 * 86_400_000

/** The dead-letter queue: what failed for good, for a week. */
export class DeadLetters {
  private readonly letters = new Map<string, DeadLetter>()
  private sequence = 0

  add(message: Message, outcome: Outcome, now: number): string {
    for (const [old, { failedAt }] of this.letters) {
      if (failedAt + RETENTION_MS > now) break
      this.letters.delete(old)
    }
    const dlqId = `${now}-${this.sequence++}`
    this.letters.set(dlqId, { dlqId, message, outcome, failedAt: now })
    return dlqId
  }

  get(dlqId: string): DeadLetter {
    const letter = this.letters.get(dlqId)
    if (!letter) throw new QstashRefusal(404, `dlq message ${dlqId} not found`)
    return letter
  }

  delete(dlqId: string): void {
    this.get(dlqId)
    this.letters.delete(dlqId)
  }

  list(query: URLSearchParams): { cursor: string | undefined; messages: unknown[] } {
    const { cursor, letters } = this.select(query)
    return { cursor, messages: letters.map(serializeDeadLetter) }
  }

  deleteMany(query: URLSearchParams): { cursor: string | undefined; deleted: number } {
    const { cursor, letters } = this.select(query)
    for (const { dlqId } of letters) this.letters.delete(dlqId)
    return { cursor, deleted: letters.length }
  }

  /** The letters that a retry names: every id that is given must exist. */
  chosen(query: URLSearchParams): { cursor: string | undefined; letters: DeadLetter[] } {
    for (const dlqId of listed(query, "dlqIds")) this.get(dlqId)
    return this.select(query)
  }

  /** Newest first, one page; ids beat filters. The cursor is the last id of a full page. */
  private select(query: URLSearchParams): { cursor: string | undefined; letters: DeadLetter[] } {
    const ids = listed(query, "dlqIds")
    const newestFirst = [...this.letters.values()].reverse()
    if (ids.length > 0) return { cursor: undefined, letters: newestFirst.filter(({ dlqId }) => ids.includes(dlqId)) }
    const after = query.get("cursor")
    const from = after ? newestFirst.filter((letter) => isOlder(letter.dlqId, after)) : newestFirst
    const found = from.filter(({ message, outcome }) => messageFilter(query, outcome.status)(message))
    const letters = found.slice(0, pageSize(query))
    return { cursor: found.length > letters.length ? letters.at(-1)?.dlqId : undefined, letters }
  }
}

function isOlder(dlqId: string, than: string): boolean {
  return Number(dlqId.split("-")[1]) < Number(than.split("-")[1])
}
