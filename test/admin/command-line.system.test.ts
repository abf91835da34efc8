import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { addDatabase } from "../../src/local/databases.ts"
import { startPostgres } from "../../src/local/postgres.ts"

let dir: string
let server: Awaited<ReturnType<typeof startPostgres>>
let client: pg.Client
let url: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "turnpike-command-"))
  server = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
  url = await addDatabase(server.url, "command")
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

/** `npm run admin -- …`: its exit code, and what it printed. */
function admin(...args: string[]): Promise<[number | null, string]> {
  return adminOf(url, ...args)
}

function adminOf(database: string, ...args: string[]): Promise<[number | null, string]> {
  const env = { ...process.env, DATABASE_URL: database }
  const child = spawn(process.execPath, ["src/ops/admin.ts", ...args], { env })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk))
  return new Promise((resolve) => child.once("close", (code) => resolve([code, output.trim()])))
}

test("credit, a correction, a refund and a reconciliation from the command line", async () => {
  expect((await admin("migrate"))[0]).toBe(0)
  const user = /\d+/.exec((await admin("user", "--email", "a@example.com"))[1])?.[0] as string
  expect(await admin("top-up", "--user", user, "--usd", "5")).toEqual([0, "ledger_id 1\nbalance 5 USD"])
  const paid = ["top-up", "--user", user, "--usd", "2.5", "--reason", "credit_purchase", "--reference", "invoice-7"]
  expect(await admin(...paid)).toEqual([0, "ledger_id 2\nbalance 7.5 USD"])
  expect(await admin(...paid)).toEqual([0, "ledger_id 2 (it was booked before)\nbalance 7.5 USD"])
  expect((await admin("top-up", "--user", user, "--usd=-1", "--reason", "admin_action"))[1]).toContain(
    "balance 6.5 USD",
  )
  for (const wrong of [
    ["top-up", "--user", user, "--usd=-1"],
    ["top-up", "--user", user, "--usd", "0"],
    ["top-up", "--user", user, "--usd", "1000000.0000001"],
    ["top-up", "--user", user, "--usd=-7", "--reason", "admin_action"],
    ["top-up", "--user", user, "--usd", "1", "--reason", "usage"],
    ["top-up", "--user", "999", "--usd", "1"],
    ["refund", "--turn", "turn_none", "--note", "x"],
    ["refund", "--turn", "turn_none"],
  ]) {
    const [code, output] = await admin(...wrong)
    expect([code, output.includes("    at ")], wrong.join(" ")).toEqual([1, false])
  }

  const [sound, report] = await admin("reconcile")
  expect([sound, JSON.parse(report)]).toMatchObject([0, { findings_total: 0, ledger_rows: 3, started_by: "operator" }])
  await client.query("update wallets set balance_credit_micros = balance_credit_micros + 1")
  const [spoilt, found] = await admin("reconcile")
  expect([spoilt, JSON.parse(found)]).toMatchObject([
    1,
    { findings: [{ kind: "balance", user_id: Number(user), expected_usd: 6.5, found_usd: 6.5000001 }] },
  ])
})

test("a database that takes the connection and says nothing ends the command", async () => {
  const silent = createServer(() => {})
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
  const { port } = silent.address() as { port: number }
  const [code, output] = await adminOf(`postgres://a:b@127.0.0.1:${port}/c`, "losses")
  expect([code, output]).toEqual([1, "timeout expired"])
  silent.close()
})
