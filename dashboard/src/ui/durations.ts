import { decimal } from "./numbers.ts"

/** Formats a duration: 430 ms, 2.4 s, 3 min 5 s. */
export function lasted(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${decimal(ms / 1000)} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
