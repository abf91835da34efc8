import { decimal } from "./numbers.ts"

/** Formats a duration: 430 ms, 2.4 s, 3 min 5 s. */
export function lasted(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${decimal(ms / 1000)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
