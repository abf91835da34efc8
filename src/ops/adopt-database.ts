import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type pg from "pg"
import { type Catalog, type CatalogEntry, compareCatalogs, describeDifference, readCatalog } from "./catalog.ts"
import { splitStatements } from "./migration-files.ts"
import { LEFT_OVERS, planRepair } from "./plan-repair.ts"
import { type Patience, runStatement } from "./run-statement.ts"

const ROWS = join(import.meta.dirname, "adopt-rows.sql")
const REFERENCE = "turnpike_reference"

/**
 * Brings a database from before there were migrations to the baseline. Such databases often lack something, since each version's whole
 * schema was applied again and changed nothing that was there. Before it changes anything, throws and names every difference that
 * cannot be repaired. Can be repeated after any failure.
 */
export async function adoptDatabase(client: pg.ClientBase, baseline: string, patience: Patience): Promise<void> {
  const wanted = await readReference(client, baseline)
  const differences = compareCatalogs(wanted, await readOurs(client, wanted))
  const filled = await readFilledTables(client, wanted)
  const planned = differences.map((difference) => ({ difference, repair: planRepair(difference, filled) }))
  const beyond = planned.filter(({ repair }) => repair === null).map(({ difference }) => difference)
  if (beyond.length > 0) throw refusal("differs in what is not safe to change by itself", beyond)

  patience.log(
    `The database is from before there were migrations; ${differences.length} differences from the first one.`,
  )
  const steps = planned.flatMap(({ difference, repair }) => (repair ? [{ ...repair, difference }] : []))
  // Functions may name others that come later.
  await client.query("set check_function_bodies = off")
  for (const { difference, statements } of steps.sort((a, b) => a.order - b.order)) {
    patience.log(`  ${describeDifference(difference)}: repairing`)
    for (const statement of statements) await runStatement(client, statement, patience)
  }
  await client.query("reset check_function_bodies")

  const left = compareCatalogs(wanted, await readOurs(client, wanted))
  if (left.length > 0) throw refusal("still differs after its repair", left)
  for (const statement of splitStatements(await readFile(ROWS, "utf8"))) await runStatement(client, statement, patience)
}

function refusal(how: string, differences: Parameters<typeof describeDifference>[0][]): Error {
  const lines = differences.map((difference) => `  ${describeDifference(difference)}`)
  return new Error(`The database ${how}. Bring these to what schema.sql says, and run it again:\n${lines.join("\n")}`)
}

/** The baseline as this server prints it, made in a schema that is never committed. */
async function readReference(client: pg.ClientBase, baseline: string): Promise<Catalog> {
  await client.query("begin")
  try {
    await client.query(`create schema ${REFERENCE}; set local search_path = ${REFERENCE}`)
    await client.query(baseline)
    return await readCatalog(client, REFERENCE)
  } finally {
    await client.query("rollback")
  }
}

/** The baseline's tables and functions as they are here. An operator's other tables and functions are ignored. */
async function readOurs(client: pg.ClientBase, wanted: Catalog): Promise<Catalog> {
  await client.query("begin")
  let all: Catalog
  try {
    all = await readCatalog(client)
  } finally {
    await client.query("rollback")
  }
  const ofFunction = ({ name }: CatalogEntry) => name.slice(0, name.indexOf("("))
  const tables = new Set([...wanted.values()].filter(({ kind }) => kind === "table").map(({ name }) => name))
  const functions = new Set([...wanted.values()].filter(({ kind }) => kind === "function").map(ofFunction))
  const isOurs = (key: string, entry: CatalogEntry) => {
    if (wanted.has(key) || key in LEFT_OVERS) return true
    if (entry.kind === "function") return functions.has(ofFunction(entry))
    return ["column", "constraint", "index", "trigger"].includes(entry.kind) && tables.has(entry.relation)
  }
  const ours = [...all].filter(([key, entry]) => isOurs(key, entry))
  // How an operator has tuned a table stays as it is.
  return new Map(ours.map(([key, entry]) => [key, entry.kind === "table" ? untuned(entry) : entry]))
}

const untuned = (entry: CatalogEntry) => ({ ...entry, definition: entry.definition.replace(/ ?with \(.*\)$/, "") })

/** The tables in which there is a row. */
async function readFilledTables(client: pg.ClientBase, wanted: Catalog): Promise<Set<string>> {
  const filled = new Set<string>()
  for (const { kind, name } of wanted.values()) {
    if (kind !== "table") continue
    const { rows: tables } = await client.query(
      "select 1 from pg_tables where schemaname = 'public' and tablename = $1",
      [name],
    )
    if (tables.length === 0) continue
    const { rowCount } = await client.query(`select 1 from public.${name} limit 1`)
    if (rowCount) filled.add(name)
  }
  return filled
}
