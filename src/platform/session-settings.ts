import { TurnpikeError } from "../base/errors.ts"

interface SessionSetting {
  /** The value as SQL writes it after `set NAME =`. */
  sql: string
  /** Every value with which answers are right. */
  fits: RegExp
}

/**
 * The settings of PostgreSQL that decide how a statement answers, by name. A server, a database or a role may have
 * others by default, so migrations set them (src/ops/database-settings.ts) and the health check compares them.
 */
export const SESSION_SETTINGS: Record<string, SessionSetting> = {
  TimeZone: { sql: "'UTC'", fits: /^(etc\/)?(utc|uct|gmt|zulu|universal|greenwich)$/i },
  DateStyle: { sql: "'ISO, MDY'", fits: /^iso\b/i },
  IntervalStyle: { sql: "'postgres'", fits: /^postgres$/i },
  bytea_output: { sql: "'hex'", fits: /^hex$/i },
  extra_float_digits: { sql: "1", fits: /^[123]$/ },
  default_transaction_isolation: { sql: "'read committed'", fits: /^read committed$/i },
  default_transaction_read_only: { sql: "off", fits: /^off$/i },
  standard_conforming_strings: { sql: "on", fits: /^on$/i },
  array_nulls: { sql: "on", fits: /^on$/i },
  transform_null_equals: { sql: "off", fits: /^off$/i },
  quote_all_identifiers: { sql: "off", fits: /^off$/i },
  search_path: { sql: '"$user", public', fits: /^("\$user", *)?public$/ },
}

export const SETTING_NAMES = Object.keys(SESSION_SETTINGS)

/** Statements that give one session these settings, whatever its role and database have by default. */
export const SET_SESSION = Object.entries(SESSION_SETTINGS)
  .map(([name, { sql }]) => `set ${name} = ${sql}`)
  .join("; ")

/** The settings among `values` with which answers would be wrong, as `TimeZone is Europe/Berlin`. */
export function wrongSettings(values: Record<string, string | null | undefined>): string[] {
  return Object.entries(SESSION_SETTINGS).flatMap(([name, { fits }]) => {
    const value = values[name]
    return typeof value === "string" && !fits.test(value) ? [`${name} is ${value}`] : []
  })
}

const TIMESTAMP = /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?$/

/**
 * Parses a timestamptz in the form of DateStyle ISO, such as `2026-11-20 12:00:00.123+00`, with any offset: whole
 * hours, minutes, or the seconds of old local times. Throws INTERNAL for any other form.
 */
export function parseTimestamp(text: string): Date {
  if (text.endsWith("+00")) {
    const date = new Date(text.replace(" ", "T").replace(/\+00$/, "Z"))
    if (!Number.isNaN(date.getTime())) return date
  }
  const match = TIMESTAMP.exec(text)
  if (!match) throw unreadable("time", text)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [ms, hours, minutes, seconds] = [match[7]?.padEnd(3, "0").slice(0, 3), match[9], match[10], match[11]].map(
    (part) => Number(part ?? 0),
  ) as [number, number, number, number]
  const offset = (match[8] === "-" ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds)
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms) - offset * 1000)
}

/** Checks a date, which stays text: `2026-11-20`. Throws INTERNAL for any other form. */
export function parseDay(text: string): string {
  if (!/^\d{4,6}-\d\d-\d\d$/.test(text)) throw unreadable("day", text)
  return text
}

function unreadable(kind: string, text: string): TurnpikeError {
  const message = `The database sends a ${kind} as ${text}, so its setting DateStyle is not ISO. \`npm run admin -- migrate\` sets it.`
  return new TurnpikeError("INTERNAL", message, { retryable: false })
}
