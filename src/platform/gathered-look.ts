/** How long the maker of a look counts, and how often the others check. In milliseconds. */
const GONE_MS = 5_000
const CHECK_MS = 5

const NEVER = Number.NEGATIVE_INFINITY

interface Ticket<Answer> {
  item: string
  /** When it was taken into a look, by the isolate's timer. */
  takenAt: number
  answer?: Answer
}

/** The requests of one holder that wait for a look together. */
interface Lane<Answer> {
  tickets: Set<Ticket<Answer>>
  /** When the current look was sent. */
  lookingAt: number
  /** When the next look is due. */
  dueAt: number
}

/**
 * Looks up items of many requests of an isolate together: per holder one look at a time, and at most one per `everyMs`.
 * It stores only plain values, as a Turnstile does: a request must not wait for another request's promise.
 */
export class GatheredLook<Answer> {
  private readonly lanes = new Map<string, Lane<Answer>>()
  private readonly limits: { everyMs: number; most: number }

  constructor(limits: { everyMs: number; most: number }) {
    this.limits = limits
  }

  /** The answer about an item. `look` returns the answers in the order of its items. Throws the error of its own look. */
  async ask(holder: string, item: string, look: (items: string[]) => Promise<Answer[]>): Promise<Answer> {
    const lane = this.lanes.get(holder) ?? { tickets: new Set(), lookingAt: NEVER, dueAt: NEVER }
    this.lanes.set(holder, lane)
    const ticket: Ticket<Answer> = { item, takenAt: NEVER }
    lane.tickets.add(ticket)
    try {
      for (;;) {
        if (ticket.answer !== undefined) return ticket.answer
        const now = performance.now()
        if (now >= lane.dueAt && now - lane.lookingAt >= GONE_MS) await this.look(lane, look)
        else await new Promise((resolve) => setTimeout(resolve, CHECK_MS))
      }
    } finally {
      lane.tickets.delete(ticket)
      if (lane.tickets.size === 0 && performance.now() >= lane.dueAt) this.lanes.delete(holder)
    }
  }

  private async look(lane: Lane<Answer>, look: (items: string[]) => Promise<Answer[]>): Promise<void> {
    const now = performance.now()
    const taken = [...lane.tickets]
      .filter(({ answer, takenAt }) => answer === undefined && now - takenAt >= GONE_MS)
      .slice(0, this.limits.most)
    for (const one of taken) one.takenAt = now
    lane.lookingAt = now
    try {
      const answers = await look(taken.map(({ item }) => item))
      for (const [nth, one] of taken.entries()) one.answer = answers[nth] as Answer
    } finally {
      for (const one of taken) if (one.answer === undefined) one.takenAt = NEVER
      lane.lookingAt = NEVER
      lane.dueAt = performance.now() + this.limits.everyMs
    }
  }
}
