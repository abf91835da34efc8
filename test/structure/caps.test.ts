import { expect, test } from "vitest"
import { CAPS, type CapSource, type DeclaredCaps } from "../../src/quotas/caps.ts"
import { procedures, read, withoutComments } from "./source.ts"

const declared = Object.values(CAPS as DeclaredCaps).flatMap(({ limits }) => Object.entries(limits))
const columnsOf = (source: CapSource) => declared.flatMap(([from, name]) => (from === source ? [name] : []))

/** The columns whose change the trigger of a table follows. */
function followed(table: string): string[] {
  const trigger = new RegExp(`create trigger ${table}_raised after (?:insert or )?update of ([^;]*?) on ${table}\\b`)
  return (trigger.exec(read("schema.sql"))?.[1] ?? "").split(",").map((column) => column.trim())
}

test.each([
  ["api_keys", "key"],
  ["end_users", "end_user"],
  ["wallets", "account"],
  ["spaces", "space"],
] as const)("A change of any limit in %s lets waiting turns continue", (table, source) => {
  expect(columnsOf(source).length).toBeGreaterThan(0)
  expect(columnsOf(source).filter((column) => !followed(table).includes(column))).toEqual([])
})

test("A change of any limit that is a setting lets waiting turns continue", () => {
  const [, keys = ""] = /create trigger settings_raised[^;]*?new\.key in \(([^)]*)\)/.exec(read("schema.sql")) ?? []
  expect(["plans", ...columnsOf("default")].filter((name) => !keys.includes(`'${name}'`))).toEqual([])
})

test("No procedure but the generated ones decides by the limits' columns whether a turn has caps", () => {
  const columns = [...new Set((["key", "end_user", "account"] as const).flatMap(columnsOf))].join("|")
  const decides = new RegExp(`num_nonnulls\\([^)]*\\b(${columns})\\b`)
  const found = procedures.flatMap(({ path, text }) => (decides.test(withoutComments(text)) ? [path] : []))
  expect(found.sort()).toEqual(["src/actor/key-caps.sql", "src/quotas/cap-lists.sql"])
})
