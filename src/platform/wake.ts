import type { Clock } from "./clock.ts"

/**
 * Wakes one waiter, again and again. A signal that is aborted for each piece of a stream costs several times as much:
 * the controller, its signal, and a listener on each side.
 */
export class Wake {
  private readonly clock: Pick<Clock, "after">
  /** No wait is needed: it has rung since the last `clear`. */
  isRung = false
  private wake: () => void = () => {}

  constructor(clock: Pick<Clock, "after">) {
    this.clock = clock
  }

  /** A wake that rings when the signal is aborted. */
  static when(clock: Pick<Clock, "after">, signal: AbortSignal): Wake {
    const wake = new Wake(clock)
    if (signal.aborted) wake.ring()
    else signal.addEventListener("abort", () => wake.ring(), { once: true })
    return wake
  }

  /** Ends the current wait, and all later ones until `clear`. */
  ring(): void {
    this.isRung = true
    this.wake()
  }

  clear(): void {
    this.isRung = false
  }

  /** Resolves with true when it rings, and with false after `ms` milliseconds. One waiter at a time. */
  async wait(ms: number): Promise<boolean> {
    if (this.isRung) return true
    return new Promise((resolve) => {
      const stop = this.clock.after(ms, () => resolve(false))
      this.wake = () => {
        stop()
        resolve(true)
      }
    })
  }
}
