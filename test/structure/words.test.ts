import { parseSync } from "oxc-parser"
import { expect, test } from "vitest"
import { OWN_ROLES } from "../../src/base/member-roles.ts"
import { ENGINES } from "../../src/base/words.ts"
import { LEDGER_REASONS } from "../../src/billing/buckets.ts"
import { filesBelow, read, withoutComments } from "./source.ts"

/** Generated files, and files for programs other than the service. */
const OTHERS = /^src\/(local|ops)\/|common-passwords\.ts$|platform\/(db-types|procedures|records)\.ts$/

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

const WORD = /^[a-z][\w.-]*$/
const wordOf = (node: Node | null) => (typeof node?.value === "string" && WORD.test(node.value) ? node.value : null)

/** The words of an array or of a union type that consists only of three or more words in lower case. */
function listOf(node: Node): (string | null)[] {
  if (node.type === "ArrayExpression") return (node.elements as (Node | null)[]).map(wordOf)
  if (node.type !== "TSUnionType") return []
  return (node.types as Node[]).map((one) => wordOf((one.literal as Node | undefined) ?? null))
}

const keyOf = (words: readonly string[]) => [...new Set(words)].sort().join(" ")

function listsIn(node: unknown, found: string[] = []): string[] {
  if (typeof node !== "object" || node === null) return found
  if (!Array.isArray(node)) {
    const words = listOf(node as Node)
    if (words.length > 2 && words.every((word) => word !== null)) found.push(keyOf(words as string[]))
  }
  for (const part of Object.values(node)) listsIn(part, found)
  return found
}

const places = new Map<string, Set<string>>()
for (const path of filesBelow("src").filter((path) => !OTHERS.test(path))) {
  for (const key of listsIn(parseSync(path, read(path)).program))
    places.set(key, (places.get(key) ?? new Set()).add(path))
}

// Lists that are built from others.
for (const words of [ENGINES, LEDGER_REASONS, OWN_ROLES]) places.set(keyOf(words), new Set())

/** Equal lists with different meanings. */
const EQUAL = new Set([
  keyOf(["const", "default", "enum", "examples"]), // the words of JSON Schema that a reader and a writer do not change
  keyOf(["clock", "db", "log"]), // parts of a context
  keyOf(["all", "false", "true"]), // a parameter, and the filter with its value
  keyOf(["n.address", "n.created_at", "n.expires_at", "n.last_seen_at", "n.session_id", "n.user_agent"]), // columns of two queries
])

test("No list of three or more words is written in two files of the source", () => {
  expect(places.size).toBeGreaterThan(100)
  const repeated = [...places].filter(([words, { size }]) => size > 1 && !EQUAL.has(words))
  expect(repeated.map(([words, paths]) => `${words}: ${[...paths].join(", ")}`)).toEqual([])
})

/** Lists of schema.sql that exist as a list only in SQL. */
const OF_SQL_ALONE = new Set([
  keyOf(["manifest", "tool", "mcp_server"]), // kinds of a part of a configuration
  keyOf(["polling", "authorized", "expired", "error"]), // states of a login by device
  keyOf(["queued", "running", "waiting", "blocked"]), // states of an open turn for runners
  keyOf(["asked", "allowed", "denied", "awaited", "answered", "early"]), // states of a call that a turn waits for
  keyOf(["done", "failed", "cancelled"]), // the final states of a turn
  keyOf(["uploading", "pending", "ready", "deleted"]), // states of a file
  keyOf(["uploading", "pending", "ready"]), // the states in which a file counts
  keyOf(["key", "end_user", "account", "members"]), // the subjects whose spend is counted
  keyOf(["key", "end_user", "account", "members", "test_end_user"]), // the subjects of a spending counter
  keyOf(["day", "month", "window"]), // the periods of a spending counter
  keyOf(["text", "step", "event", "delivery", "attempt", "test_data", "account"]), // kinds of data with a mark of their retention
])

test("A list of words that schema.sql checks is one of the source, with the same words", () => {
  const checked = [...withoutComments(read("schema.sql")).matchAll(/\bin\s*\(((?:\s*'\w[\w.-]*'\s*,?){3,})\)/g)].map(
    ([, list = ""]) => keyOf([...list.matchAll(/'([^']*)'/g)].map(([, word = ""]) => word)),
  )
  expect(checked.length).toBeGreaterThan(15)
  const drifted = checked.filter((words) => !places.has(words) && !OF_SQL_ALONE.has(words))
  expect(drifted, "the source has other words, or no list").toEqual([])
  expect(
    [...OF_SQL_ALONE].filter((words) => !checked.includes(words)),
    "schema.sql has no such list",
  ).toEqual([])
})
