import { afterAll, beforeAll, expect, test } from "vitest"
import { type Call, computed, decimal, isSigned, learnKeys } from "../../examples/verify-receipts/documents.ts"
import type { TurnReceipt } from "../../src/receipts/get-receipt.ts"
import { tamper } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"
import FORMER from "./former-receipts.json" with { type: "json" }

/**
 * Receipts that a version without price tiers has made and signed, and the rows that it made them of. Its columns of
 * prices and counts have the same names today. Later columns are null in these rows.
 */

const RECEIPTS = FORMER.receipts as unknown as readonly TurnReceipt[]

type Row = Record<string, string | number | boolean | object | null>

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld({ isNew: true })
  client = await world.createAccount()
  const { turn_id } = await client.runTurn({ space: await client.space() })
  const { keys, receipts: _, model_catalog, former_prices, prices, ledger, ...rows } = FORMER
  const unlike = (row: Row) => ({ ...row, ...("space_id" in row && { space_id: -Number(row.space_id) }) })
  const own = (row: Row) => ({ ...unlike(row), user_id: client.userId })
  const spaces = rows.spaces.map((row) => ({ ...own(row), chat_key: row.slug }))
  const turns = rows.turns.map((row, at) => {
    return { key_id: null, ...own(row), idempotency_key: row.turn_id, position: at + 100 }
  })
  // Columns that no receipt reads have the values of a row of today.
  await load("spaces", spaces, `t.user_id = ${client.userId}`)
  await load("turns", turns, `t.turn_id = '${turn_id}'`)
  await load("model_calls", rows.model_calls.map(own), `t.turn_id = '${turn_id}'`)
  await load("ledger", ledger.map(own))
  await load("prices", prices.map(own))
  await load("former_prices", former_prices)
  await tamper(world).unguarded("delete from model_catalog where pin <> 'rehearsal/standard'")
  await load("model_catalog", model_catalog, "t.pin = 'rehearsal/standard'")
  learnKeys({ keys })
})
afterAll(() => world.close())

/** Inserts rows. The other columns are those of a row of this table with the condition. */
async function load(table: string, rows: readonly Row[], like = "false") {
  const text = JSON.stringify(rows).replaceAll("'", "''")
  const [names] = await world.sql<{ names: string }>(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  await tamper(world).unguarded(
    `create temporary table former on commit drop as
       select n.* from jsonb_array_elements('${text}') r(row),
         lateral jsonb_populate_record((select t from ${table} t where ${like} limit 1), r.row) n;
     ${table === "model_catalog" ? "delete from model_catalog;" : ""}
     insert into ${table} (${names?.names}) overriding system value select ${names?.names} from former`,
  )
}

test("Each receipt of a former version is made again with the same bytes, and its signature is valid", async () => {
  for (const former of RECEIPTS) {
    const { turn_id } = former.receipt.document
    const now = (await (await client.call("GET", `/v1/turns/${turn_id}/receipt`)).json()) as TurnReceipt
    for (const part of ["receipt", "end_user_receipt", "refund"] as const) {
      expect(now[part]?.document ?? null, `${part} of ${turn_id}`).toEqual(former[part]?.document ?? null)
      expect(now[part]?.digest).toBe(former[part]?.digest)
      if (former[part]) expect(isSigned(former[part]), `${part} of ${turn_id}`).toBe(true)
    }
  }
})

test("The fixture has each kind of call, charge and price of that version", () => {
  const documents = RECEIPTS.map(({ receipt }) => receipt.document)
  const calls = documents.flatMap((document) => document.calls)
  for (const call of calls) expect(decimal(computed(call as Call))).toBe(call.computed_usd)
  expect([...new Set(calls.flatMap(({ lines }) => lines.map(({ kind }) => kind)))].sort()).toEqual([
    "audio_input",
    "cache_written",
    "cache_written_hour",
    "cached",
    "image",
    "input",
    "output",
    "web_search",
  ])
  expect([...new Set(calls.map(({ price_version }) => price_version))].sort()).toEqual([1, 2, 3])
  expect(RECEIPTS.some(({ end_user_receipt }) => end_user_receipt !== null)).toBe(true)
  expect(RECEIPTS.some(({ refund }) => refund !== null)).toBe(true)
  expect(documents.some(({ key_id }) => key_id === null)).toBe(true)
})
