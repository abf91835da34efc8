import type { Clock } from "./clock.ts"

const MiB = 1024 * 1024

/** A kind of use: bytes for all, for each holder, how often each byte is held while it is used, and how long who borrows waits for it. */
export interface Share {
  all: number
  each: number
  copies: number
  waitMs: number
}

/**
 * The one budget of an isolate, which has 128 MiB: some 35 are its code and what it does all the time. What a share has for all keeps
 * one kind from taking the others' place.
 */
export const MEMORY = {
  all: 76 * MiB,
  lostMs: 300_000,
  shares: {
    /** The part of a file that is being stored, by account. */
    upload: { all: 40 * MiB, each: 20 * MiB, copies: 1, waitMs: 0 },
    /** A client's JSON above `smallBytes`, by the account: bytes and text. */
    body: { all: 24 * MiB, each: 12 * MiB, copies: 2, waitMs: 2_000 },
    /** Answers of customers' servers, and what is kept of those of models, above `smallBytes`, by invocation: bytes, text, and what is parsed. */
    answer: { all: 48 * MiB, each: 24 * MiB, copies: 4, waitMs: 0 },
    /** Pictures and documents of a model call, by invocation: bytes, base64, JSON, and the request. */
    object: { all: 76 * MiB, each: 76 * MiB, copies: 5, waitMs: 20_000 },
    /** The answer with a picture that was made. */
    picture: { all: 44 * MiB, each: 44 * MiB, copies: 4, waitMs: 20_000 },
  },
  /** Of a body or an answer, so much is read in any case. */
  smallBytes: 256 * 1024,
} as const

/** How often those who wait look. */
const LOOK_MS = 25

interface Lent {
  share: Share
  holder: string
  bytes: number
  /** When it was changed or kept last, in ms. */
  at: number
}

export interface Loan {
  /** Whether there are so many bytes more. Never once it is closed: what still comes then has nobody who would give it back. */
  grow(bytes: number): boolean
  /** The same, for as long as the share's users wait. Throws the signal's reason. */
  growSoon(bytes: number, signal: AbortSignal): Promise<boolean>
  /** Says that it is still held. */
  keep(): void
  close(): void
}

/** Bytes that an isolate lends out. A loan that says nothing for `lostMs` counts as given back: so does one whose request was cut off. */
export class MemoryBudget {
  private readonly limits: { all: number; lostMs: number }
  private readonly loans = new Map<symbol, Lent>()

  constructor(limits: { all: number; lostMs: number }) {
    this.limits = limits
  }

  /** A loan for `holder`, of nothing yet. */
  open(share: Share, holder: string, clock: Clock): Loan {
    const me = Symbol("loan")
    let closed = false
    const grow = (bytes: number) => {
      if (closed) return false
      const now = clock.now().getTime()
      const more = bytes * share.copies
      if (!this.fits(share, holder, more, now)) return false
      this.loans.set(me, { share, holder, bytes: (this.loans.get(me)?.bytes ?? 0) + more, at: now })
      return true
    }
    const growSoon = async (bytes: number, signal: AbortSignal) => {
      const until = Date.now() + share.waitMs
      while (!grow(bytes)) {
        if (signal.aborted) throw signal.reason
        if (closed || Date.now() > until) return false
        // No request may wait for what another one does.
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      return true
    }
    const close = () => {
      closed = true
      this.loans.delete(me)
    }
    const keep = () => {
      const lent = this.loans.get(me)
      if (lent) lent.at = clock.now().getTime()
    }
    return { grow, growSoon, keep, close }
  }

  /** A loan of so many bytes as soon as there is memory for them; null when there was none in time. Throws the signal's reason. */
  async borrow(share: Share, holder: string, clock: Clock, bytes: number, signal: AbortSignal): Promise<Loan | null> {
    const loan = this.open(share, holder, clock)
    return (await loan.growSoon(bytes, signal)) ? loan : null
  }

  private fits(share: Share, holder: string, bytes: number, now: number): boolean {
    let [all, kind, each] = [bytes, bytes, bytes]
    for (const [one, loan] of this.loans) {
      if (now - loan.at > this.limits.lostMs) {
        this.loans.delete(one)
        continue
      }
      all += loan.bytes
      if (loan.share !== share) continue
      kind += loan.bytes
      if (loan.holder === holder) each += loan.bytes
    }
    return all <= this.limits.all && kind <= share.all && each <= share.each
  }
}
