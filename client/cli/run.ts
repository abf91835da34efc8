import { InvalidArgumentError } from "commander"
import type { Transport } from "../src/transport.ts"
import type { Exit } from "./failures.ts"
import { CommandError } from "./failures.ts"
import type { connectionOf } from "./settings.ts"
import type { Terminal } from "./terminal.ts"

/** Everything that a command gets besides its arguments. */
export interface CommandContext {
  terminal: Terminal
  json: boolean
  /** The option `--base-url`. */
  baseUrl: string | undefined
  /** The key and the address of the service. */
  connection: ReturnType<typeof connectionOf>
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
export async function sinceOf(transport: Transport, given: string | undefined, signal: AbortSignal): Promise<string> {
  if (given !== undefined && !/^\d+[smhd]$/.test(given)) {
    const time = Date.parse(given)
    if (Number.isNaN(time)) throw new CommandError(`"${given}" is not a time.`, { hint: `Use ${TIME_HELP}.` })
    return new Date(time).toISOString()
  }
  // A service that does not respond is reported by the feed, which tries again.
  const response = await transport
    .open("listEvents", { query: { limit: 1 } }, { signal, maxRetries: 0 })
    .catch(() => null)
  await response?.body?.cancel()
  const date = response?.headers.get("date")
  const now = date ? Date.parse(date) : transport.runtime.now()
  const ageMs = given === undefined ? 0 : Number(given.slice(0, -1)) * UNITS[given.slice(-1) as keyof typeof UNITS]
  return new Date(now - ageMs).toISOString()
}
