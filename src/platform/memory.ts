import type { Clock } from "./clock.ts"

interface Loan {
  holder: string
  bytes: number
  /** When it was changed last, in ms. */
  at: number
}

/**
 * Bytes that an isolate lends out, in all and to each holder. A loan that was not changed for `lostMs` counts as given back: whose
 * request is cut off says nothing.
 */
export class MemoryBudget {
  private readonly limits: { all: number; each: number; lostMs: number }
  private readonly loans = new Map<symbol, Loan>()

  constructor(limits: { all: number; each: number; lostMs: number }) {
    this.limits = limits
  }

  /** A loan for `holder`, of nothing yet. */
  open(holder: string, clock: Clock): { grow(bytes: number): boolean; close(): void } {
    const me = Symbol("loan")
    return {
      /** Whether there are so many bytes more. */
      grow: (bytes) => {
        const now = clock.now().getTime()
        const own = this.loans.get(me)?.bytes ?? 0
        if (!this.fits(holder, bytes, now)) return false
        this.loans.set(me, { holder, bytes: own + bytes, at: now })
        return true
      },
      close: () => void this.loans.delete(me),
    }
  }

  private fits(holder: string, bytes: number, now: number): boolean {
    let [all, each] = [bytes, bytes]
    for (const [one, loan] of this.loans) {
      if (now - loan.at > this.limits.lostMs) this.loans.delete(one)
      else {
        all += loan.bytes
        if (loan.holder === holder) each += loan.bytes
      }
    }
    return all <= this.limits.all && each <= this.limits.each
  }
}
