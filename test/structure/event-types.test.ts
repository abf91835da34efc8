import { expect, test } from "vitest"
import { exampleData } from "../../src/reference/event-webhooks.ts"
import { TURN_STATES } from "../../src/turns/schemas.ts"
import { declarationOf, EVENT_NAMES, type EventType } from "../../src/webhooks/event-types.ts"
import { WEBHOOK_POLICY } from "../../src/webhooks/policies.ts"
import { argumentsAt, procedures, read, withoutComments } from "./source.ts"

/** The procedures that write an event, and the position of the argument with its type. */
const RAISERS: Record<string, number> = {
  add_event: 3,
  tell_notice: 1,
  tell_balance: 1,
  tell_end_user: 1,
  write_wait: 1,
}
/** Types that a raiser gets from its own caller, or derives from a turn's state. */
const PASSED_ON = "p_type"
const OF_A_STATE = "'turn.' || turn.state"

const raised = procedures.flatMap(({ path, text }) => {
  const sql = withoutComments(text)
  const calls = [...sql.matchAll(/(create function )?turnpike\.(\w+)\(/g)].flatMap(
    ({ 0: call, 1: made, 2: by = "", index }) => {
      const at = RAISERS[by]
      return made || at === undefined ? [] : [{ by, type: argumentsAt(sql, index + call.length - 1)[at] as string }]
    },
  )
  const inserts = [...sql.matchAll(/insert into events\s*\(([^)]*)\)\s*values\s*\(/g)].map(
    ({ 0: insert, 1: names = "", index }) => {
      const at = names.split(",").findIndex((name) => name.trim() === "type")
      return { by: "insert", type: argumentsAt(sql, index + insert.length - 1)[at] as string }
    },
  )
  const events = [...sql.matchAll(/\)::turnpike\.new_event\b/g)].map(({ index }) => ({
    by: "new_event",
    type: argumentsAt(sql, openingOf(sql, index))[3] as string,
  }))
  return [...calls, ...inserts, ...events].map((one) => ({ path, ...one }))
})

/** The position of the parenthesis that is closed at `end`. */
function openingOf(sql: string, end: number): number {
  let depth = 0
  for (let at = end; at >= 0; at--) {
    if (sql[at] === ")") depth++
    else if (sql[at] === "(" && --depth === 0) return at
  }
  throw new Error("a parenthesis is not opened")
}

const typesOf = ({ type }: { type: string }) =>
  type === OF_A_STATE ? TURN_STATES.map((state) => `turn.${state}`) : [type.replace(/^'(.*)'$/, "$1")]
const named = raised.filter(({ type }) => type !== PASSED_ON)

test("Procedures raise only events whose type is declared, and every declared type is raised", () => {
  expect(named.length).toBeGreaterThan(8)
  const unknown = named.filter((one) => !typesOf(one).every((type) => EVENT_NAMES.includes(type as EventType)))
  expect(unknown, "declare it in src/webhooks/event-types.ts").toEqual([])
  expect([...new Set(named.flatMap(typesOf))].sort()).toEqual(EVENT_NAMES.toSorted())
})

test("The procedure tell_notice raises the types that are declared as notices, and no other procedure does", () => {
  const notices = new Set(named.filter(({ by }) => by === "tell_notice").flatMap(typesOf))
  expect([...notices].sort()).toEqual(EVENT_NAMES.filter((type) => declarationOf(type).isNotice).sort())
  expect(named.filter((one) => one.by !== "tell_notice" && typesOf(one).some((type) => notices.has(type)))).toEqual([])
})

test("The event space.shared names as many spaces and people as its schema allows", () => {
  const limits = [...withoutComments(read("src/teams/tell-shared.sql")).matchAll(/\blimit (\w+)/g)]
  const most = String(WEBHOOK_POLICY.mostNamed)
  expect(limits.map(([, limit]) => limit)).toEqual([most, most])
})

test.each(EVENT_NAMES)("The example of %s fits the schema of its type, with every field", (type) => {
  const { data } = declarationOf(type)
  const example = exampleData(type)
  expect(data.strict().parse(example)).toEqual(example)
})
