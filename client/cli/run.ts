import { InvalidArgumentError } from "commander"
import type { Exit } from "./failures.ts"
import { CommandError } from "./failures.ts"
import { connection } from "./settings.ts"
import type { Terminal } from "./terminal.ts"

/** Everything that a command gets besides its arguments. */
export interface CommandContext {
  terminal: Terminal
  json: boolean
  /** The arguments of `connect`. */
  at: [Terminal, string | undefined]
}

/** Returns the action of a command. Its work returns an exit other than `ok`, if it has one. */
export type Run = <Args extends unknown[]>(
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  work: (context: CommandContext, ...args: Args) => Promise<Exit | undefined | void> | Exit | undefined | void,
) => (...args: unknown[]) => Promise<void>

export function numberOption(given: string): number {
  const number = Number(given)
  if (given.trim() === "" || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError("It must be a number above 0.")
  return number
}

export const TIME_HELP = "a time such as 2026-11-20T09:00:00Z, or an age such as 10m, 3h or 2d"

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The time of `--since`. Without one, the service's current time, because this machine's clock may be wrong. */
export async function sinceOf({ terminal, at }: CommandContext, given: string | undefined): Promise<string> {
  if (given !== undefined && !/^\d+[smhd]$/.test(given)) {
    const time = Date.parse(given)
    if (Number.isNaN(time)) throw new CommandError(`"${given}" is not a time.`, { hint: `Use ${TIME_HELP}.` })
    return new Date(time).toISOString()
  }
  const { apiKey, baseUrl } = await connection(...at)
  // Any response of the service has its time.
  const url = new URL("/v1/health", baseUrl)
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await terminal.fetch(url.href, { headers, signal: terminal.signal }).catch(() => null)
  const date = response?.headers.get("date")
  await response?.body?.cancel()
  const now = date ? Date.parse(date) : terminal.runtime.now()
  const ageMs = given === undefined ? 0 : Number(given.slice(0, -1)) * UNITS[given.slice(-1) as keyof typeof UNITS]
  return new Date(now - ageMs).toISOString()
}
