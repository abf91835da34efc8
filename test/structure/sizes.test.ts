import { expect, test } from "vitest"
import { argumentsAt, procedures, withoutComments } from "./source.ts"

const MOST_LINES = 80
const MOST_ARGUMENTS = 8

/** Procedures with more lines: statements over many columns. The list may only become shorter. */
const LONG: Record<string, number> = {
  add_totals: 86,
  balances_at: 86,
  balances_before: 93,
  read_capacity: 82,
  redact_turns: 88,
  turns_in: 91,
}

/** Procedures with more arguments. The list may only become shorter. */
const WIDE: Record<string, number> = {
  add_event: 10,
  book_end_user: 9,
  book_entry: 10,
  claim_deliveries: 11,
  complete_session: 9,
  create_account: 11,
  create_space: 12,
  create_webhook: 12,
  end_open_turns: 11,
  end_turns: 10,
  is_matching: 10,
  list_events: 10,
  next_account: 12,
  note_account: 11,
  note_change: 9,
  note_trace_export: 10,
  pick_account: 10,
  put_brand: 10,
  put_mapping: 9,
  record_attempt: 12,
  replay_events: 12,
  resolve_identity: 10,
  rotate_key: 10,
  start_session: 15,
}

const all = procedures.flatMap(({ text }) => {
  const code = withoutComments(text)
  return [...code.matchAll(/^create function turnpike\.(\w+)\s*\(/gm)].map(({ 0: head, 1: name = "", index }) => {
    const body = code.slice(index, endOf(code, index))
    return {
      name,
      lines: body.split("\n").filter((line) => line.trim() !== "").length,
      given: argumentsAt(code, index + head.length - 1).filter((one) => !one.startsWith("out ")).length,
    }
  })
})

/** The end of the procedure that begins at `from`: its closing `$$;`. */
function endOf(code: string, from: number): number {
  const opened = code.indexOf("$$", from)
  return code.indexOf("$$;", opened + 2)
}

/** The procedures beyond a limit and their allowance, and those whose allowance is not needed any more. */
function faults(most: number, of: "lines" | "given", allowed: Record<string, number>): string[] {
  const over = all.filter((one) => one[of] > (allowed[one.name] ?? most)).map((one) => `${one.name}: ${one[of]}`)
  const needed = new Set(all.filter((one) => one[of] > most).map(({ name }) => name))
  return [...over, ...Object.keys(allowed).flatMap((name) => (needed.has(name) ? [] : `${name} is within the limit`))]
}

test(`No procedure has more than ${MOST_LINES} lines of code, but for those that are listed and do not grow`, () => {
  expect(all.length).toBeGreaterThan(600)
  expect(faults(MOST_LINES, "lines", LONG)).toEqual([])
})

test(`No procedure takes more than ${MOST_ARGUMENTS} arguments, but for those that are listed and do not grow`, () => {
  expect(faults(MOST_ARGUMENTS, "given", WIDE)).toEqual([])
})

test("A longer procedure, and an allowance that is not needed, are found", () => {
  expect(faults(MOST_LINES / 2, "lines", {})).toContainEqual(expect.stringMatching(/^pick_account: \d+$/))
  expect(faults(MOST_ARGUMENTS, "given", { ...WIDE, start_session: 14 })).toEqual(["start_session: 15"])
  expect(faults(MOST_ARGUMENTS, "given", { ...WIDE, find_caller: 9 })).toEqual(["find_caller is within the limit"])
})
