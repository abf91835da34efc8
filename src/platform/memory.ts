import type { Clock } from "./clock.ts"

const MiB = 1024 * 1024

/**
 * A kind of use: bytes for all holders, bytes per holder, how many copies of each byte exist, and
 * how long a borrower waits.
 */
export interface Share {
  all: number
  each: number
  copies: number
  waitMs: number
}

/**
 * The budget of an isolate, which has 128 MiB. About 35 MiB are its code and constant use.
 * `all` of a share prevents one kind of use from taking all memory.
 */
export const MEMORY = {
  all: 76 * MiB,
  lostMs: 300_000,
  shares: {
    /** The part of a file that is being stored, by account. */
    upload: { all: 40 * MiB, each: 20 * MiB, copies: 1, waitMs: 0 },
    /** A client's JSON body above `smallBytes`, by account: bytes and text. */
    body: { all: 24 * MiB, each: 12 * MiB, copies: 2, waitMs: 2_000 },
    /**
     * Responses of owners' servers, and the kept parts of models' responses, above `smallBytes`,
     * by invocation. Copies: bytes, text, and parsed values.
     */
    answer: { all: 48 * MiB, each: 24 * MiB, copies: 4, waitMs: 0 },
    /** Images and documents of a model call, by invocation. Copies: bytes, base64, JSON, and the request. */
    object: { all: 76 * MiB, each: 76 * MiB, copies: 5, waitMs: 20_000 },
    /** The response with a generated image. */
    picture: { all: 44 * MiB, each: 44 * MiB, copies: 4, waitMs: 20_000 },
  },
  /** The first bytes of a body or response, which are read without a loan. */
  smallBytes: 256 * 1024,
} as const

/** How often a waiting borrower checks again. */
const LOOK_MS = 25

interface Lent {
  share: Share
  holder: string
  bytes: number
  /** When it was last changed or renewed, in Unix milliseconds. */
  at: number
}

export interface Loan {
  /**
   * Borrows `bytes` more; false if they are not available. Always false after `close`, since those
   * bytes would never be returned.
   */
  grow(bytes: number): boolean
  /** Like `grow`, but waits for as long as the share allows. Throws the signal's reason. */
  growSoon(bytes: number, signal: AbortSignal): Promise<boolean>
  /** Renews the loan. */
  keep(): void
  close(): void
}

/**
 * Memory that an isolate lends. A loan that is not renewed for `lostMs` counts as returned, as
 * after a request was cut off.
 */
export class MemoryBudget {
  private readonly limits: { all: number; lostMs: number }
  private readonly loans = new Map<symbol, Lent>()

  constructor(limits: { all: number; lostMs: number }) {
    this.limits = limits
  }

  /** Opens an empty loan for `holder`. */
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
        // It polls, since a request must not wait for another request's promise.
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

  /** Borrows `bytes` as soon as they are available; null if they are not in time. Throws the signal's reason. */
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
