const FIRST_BYTES = 64 * 1024

/** Collects the bytes of one part. It grows with them, so that a small file does not cost a whole part of memory. */
export class PartBuffer {
  private readonly limit: number
  private memory = new Uint8Array(FIRST_BYTES)
  private filled = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** What is there; valid until the next `take`. */
  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.filled)
  }

  /** Takes what fits and returns what did not. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, this.limit - this.filled)
    const needed = this.filled + taken.length
    if (needed > this.memory.length) {
      const grown = new Uint8Array(Math.min(this.limit, Math.max(needed, this.memory.length * 2)))
      grown.set(this.bytes)
      this.memory = grown
    }
    this.memory.set(taken, this.filled)
    this.filled = needed
    return chunk.subarray(taken.length)
  }

  clear(): void {
    this.filled = 0
  }
}
