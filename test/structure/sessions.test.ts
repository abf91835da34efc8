import { expect, test } from "vitest"
import { leavesNothing } from "../../src/local/session-reset.ts"
import { procedures, read, withoutComments } from "./source.ts"

/**
 * Statements whose effect outlives a transaction. `set` counts as a statement of its own; in an
 * `update` it follows a table.
 */
const LEFT = [
  /set_config\([^)]*false\s*\)/i,
  /pg_(try_)?advisory_lock(_shared)?\s*\(/i,
  /\bcreate\s+(local\s+)?temp/i,
  /\binto\s+temp/i,
  /^\s*(listen|prepare|declare\s+\w+\s+(\w+\s+)*cursor\s+with\s+hold|set\s+(session|role|search_path))\b/im,
]

test("No procedure leaves state in its session, so the stand-in need not reset it afterwards", () => {
  for (const { path, text: sql } of [{ path: "schema.sql", text: read("schema.sql") }, ...procedures]) {
    const text = withoutComments(sql)
    for (const left of LEFT) expect(left.exec(text)?.[0], `${path}: ${left}`).toBeUndefined()
  }
})

test.each([
  ["select * from turnpike_0123456789ab.accept_turn(p_a => $1, p_b => $2)", true],
  ['insert into "turns" ("a") values ($1) returning "b"', true],
  ['select coalesce(sum("a"), $1) as "b" from "c" where "d" in ($2)', true],
  ["select set_config($1, $2, false)", false],
  ["select pg_advisory_lock(1)", false],
  ["select mine()", false],
  ["select public.mine ()", false],
  ["select mine/* */(1)", false],
  ["select 1 as a into temp b", false],
  ["set work_mem = 1", false],
  ["begin", false],
  ["prepare a as select 1", false],
])("The scan finds the state that a statement leaves: %s: %s", (text, answer) => {
  expect(leavesNothing(text)).toBe(answer)
})
