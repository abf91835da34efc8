import { expect, test } from "vitest"
import { databaseUses } from "../../scripts/database-uses.ts"

const DATABASE = `
  function statementOf(name) { return PROCEDURES[name] }
  function call(db, name, args) { return db.run(statementOf(name), args) }
  const callOne = async (db, name, args) => (await call(db, name, args))[0]
  const released = (name) => RELEASE + "." + name
`

const uses = (code: string) => databaseUses(DATABASE + code)

test("A procedure that is called through any number of functions is found", () => {
  const { called } = uses(`
    function callAs(ctx, name, args) { return callOne(ctx.db, name, args) }
    export const archive = (ctx) => callAs(ctx, "archive_space", {})
    export const cancel = (ctx) => callOne(ctx.db, "cancel_turn", {})`)
  expect([...called].sort()).toEqual(["archive_space", "cancel_turn"])
})

test("A choice between two names and a constant are both followed", () => {
  const { called } = uses(`
    const NAME = "put_secret"
    export const put = (db) => call(db, NAME, {})
    export const end = (db, all) => { const name = all ? "end_sessions" : "end_session"; return call(db, name, {}) }`)
  expect([...called].sort()).toEqual(["end_session", "end_sessions", "put_secret"])
})

test("A word that is only quoted is not a call", () => {
  const { called, inlined } = uses(`
    export const TOOLS = ["create_task", "read_file"]
    export const field = { image_model: "image_model" }
    export const say = (text) => console.log("settle_turn", text)`)
  expect([...called, ...inlined]).toEqual([])
})

test("A computed name is refused, since the worker's use could not be known", () => {
  expect(() => uses(`export const any = (db, kind) => call(db, "list_" + kind, {})`)).toThrow(
    "neither a string nor a parameter",
  )
  expect(() => uses(`export const any = (db, names) => call(db, names.first, {})`)).toThrow(
    "neither a string nor a parameter",
  )
})

test("A function within a query is distinguished from a call", () => {
  const { called, inlined } = uses(
    `export const caps = (db) => db.selectFrom("api_keys as k").select((eb) => eb.fn(released("key_caps"), []))`,
  )
  expect([...called]).toEqual([])
  expect([...inlined]).toEqual(["key_caps"])
})

test("A table's columns are found from the queries on it", () => {
  const { tables } = uses(`
    const SHOWN = ["w.webhook_id", "w.url"]
    export const list = (db) => db.selectFrom("webhook_endpoints as w").select(SHOWN).execute()
    export const other = (db) => db.selectFrom("turns").innerJoin("spaces as s", "s.space_id", "turns.space_id").selectAll("s").execute()
    export const secret = "secret"`)
  const [use] = tables.get("webhook_endpoints") ?? []
  expect(use?.texts.has("w.url")).toBe(true)
  expect(use?.texts.has("secret")).toBe(false)
  expect(use?.whole).toBe(false)
  expect(tables.get("turns")?.[0]?.whole).toBe(false)
  expect(tables.get("spaces")?.[0]?.whole).toBe(true)
})
