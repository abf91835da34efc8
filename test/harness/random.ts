/** A seeded random generator (mulberry32): the same seed gives the same run. */
export function createRandom(name: string, seed: number = seedOf(name)) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    seed,
    int: (below: number) => Math.floor(next() * below),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
  }
}

export type Random = ReturnType<typeof createRandom>

function seedOf(name: string): number {
  let hash = 2166136261
  for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619)
  return hash >>> 0
}
