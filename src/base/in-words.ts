import { DAY_MS } from "./time.ts"

const UNITS = [
  ["days", DAY_MS],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000],
] as const

/** Milliseconds as text, in the largest unit that gives a whole number of at least two: "24 hours", "30 days". */
export function timeInWords(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0 && ms >= 2 * size) ?? ["ms", 1]
  return `${ms / size} ${unit}`
}

/** "A, b and c". */
export const listInWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** "1,024". */
export const countInWords = (count: number): string => count.toLocaleString("en-US")

/** "5 MiB". */
export const sizeInWords = (bytes: number): string =>
  bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`
