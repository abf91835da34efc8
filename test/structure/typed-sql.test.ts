import { expect, test } from "vitest"
import { callOf, databaseOver } from "../../src/platform/db.ts"
import { read } from "./source.ts"

const db = databaseOver(async () => ({ rows: [] }))

// `tsc`, which verify runs, fails on a @ts-expect-error that expects no error.

test("A column that does not exist does not compile", () => {
  const right = db.selectFrom("turns").select("turn_id").where("user_id", "=", 1)
  // @ts-expect-error
  const wrong = db.selectFrom("turns").select("turn_idd")
  // @ts-expect-error
  const elsewhere = db.selectFrom("turns").select("turn_id").where("wallet", "=", 1)
  expect([right, wrong, elsewhere].map((query) => query.compile().sql.includes("turn_id"))).toEqual([true, true, true])
})

test("A wrong or unknown argument of a procedure does not compile", () => {
  const right = callOf("release_turn", { turn_id: "turn_1", broke: false, epoch: 1, wake_at: new Date(0) })
  // @ts-expect-error
  const wrong = callOf("release_turn", { turn_id: "turn_1", broke: false, epoch: "1", wake_at: new Date(0) })
  // @ts-expect-error
  const missing = callOf("release_turn", { turn_id: "turn_1", broke: false, wake_at: new Date(0) })
  // @ts-expect-error
  expect(() => callOf("release_turns", {})).toThrow()
  expect([right, wrong, missing].map(({ parameters }) => parameters.length)).toEqual([4, 4, 4])
})

test("Every column that a procedure returns has a type", () => {
  const [, declared = ""] = read("src/platform/procedures.ts").split("export interface Procedures {")
  const found: string[] = []
  let procedure = ""
  for (const [, name = "", column = ""] of declared.matchAll(/^ {2}(\w+): \{$|^ {6}(\w+): unknown\b/gm)) {
    procedure = name || procedure
    if (column) found.push(`${procedure}.${column}`)
  }
  expect(found.sort(), "give it a type in the .sql file of its procedure").toEqual([])
})
