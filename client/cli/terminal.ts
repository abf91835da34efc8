import type { Runtime } from "../src/runtime.ts"
import type { Failure } from "./failures.ts"

/** Everything that a command reads from and writes to. Tests replace it. */
export interface Terminal {
  env: Record<string, string | undefined>
  cwd: string
  home: string
  out(text: string): void
  err(text: string): void
  /** True if a person reads or writes there. */
  isTerminal: { in: boolean; out: boolean; err: boolean }
  readInput(): Promise<string>
  /** Asks for a line. A hidden answer is not echoed. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>
  fetch: (url: string, init: RequestInit) => Promise<Response>
  runtime: Runtime
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

export type Style = keyof typeof STYLES
export type Paint = (style: Style, text: string) => string

/** Colors text for a stream, only if it is a terminal and NO_COLOR is not set (https://no-color.org). */
export function painter({ env, isTerminal }: Terminal, stream: "out" | "err"): Paint {
  const isColored = isTerminal[stream] && !env.NO_COLOR && env.TERM !== "dumb"
  return (style, text) => (isColored ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text)
}

/** Characters that a terminal would obey, or that change the order of the text. Not tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text from the service, which can contain such characters. */
export const shown = (text: string) => text.replace(OBEYED, "\ufffd")

/** Quoted texts with escapes in place of such characters, so that a reader of JSON or YAML gets them unchanged. */
export const escaped = (quoted: string) =>
  quoted.replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const jsonOf = (value: unknown, indent?: number) => escaped(JSON.stringify(value, null, indent))

/** Columns, each as wide as its longest cell. The last column keeps its length. */
export function tableOf(rows: string[][]): string {
  const clean = rows.map((row) => row.map((cell) => shown(cell).replaceAll("\n", " ")))
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)))
  const lines = clean.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
  return lines.map((line) => `${line.trimEnd()}\n`).join("")
}

/** Amounts in USD with at most 7 decimals, without an exponent. */
export const usd = (amount: number) =>
  `${amount < 0 ? "-" : ""}$${Math.abs(amount)
    .toFixed(7)
    .replace(/(\.\d\d\d*?)0+$/, "$1")}`

export function showFailure(terminal: Terminal, failure: Failure, asJson: boolean): void {
  if (asJson) {
    const { exit: _exit, ...error } = failure
    terminal.err(`${jsonOf({ error })}\n`)
    return
  }
  const paint = painter(terminal, "err")
  const isOurs = failure.code === failure.exit.toUpperCase() || failure.code === "UNEXPECTED"
  const lines = [`${paint("red", "Error:")} ${isOurs ? "" : `${failure.code}: `}${shown(failure.message)}`]
  if (failure.param !== undefined) lines.push(`  field:      ${shown(failure.param)}`)
  for (const fault of faultsOf(failure.details)) lines.push(`  fault:      ${shown(fault)}`)
  if (failure.hint !== undefined) lines.push(`  hint:       ${failure.hint}`)
  if (failure.retry_after !== undefined) lines.push(`  retry in:   ${failure.retry_after} s`)
  if (failure.request_id !== undefined) lines.push(`  request id: ${shown(failure.request_id)}`)
  terminal.err(`${lines.join("\n")}\n`)
}

/** The faults of a body that the service rejected, if there are several. */
function faultsOf(details: unknown): string[] {
  const faults = Array.isArray(details) ? (details as { param?: string; message?: string }[]) : []
  return faults.length > 1 ? faults.map(({ param, message }) => `${param}: ${message}`) : []
}
