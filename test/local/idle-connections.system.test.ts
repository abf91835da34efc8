import { afterAll, beforeAll, expect, test } from "vitest"
import { createPool } from "../../src/local/connections.ts"
import { connectOwner } from "../../src/ops/connect-owner.ts"
import { SET_SESSION } from "../../src/platform/session-settings.ts"
import { type Server, startServer } from "../harness/databases.ts"

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

test("A connection that the server ends while it is idle does not end the process", async () => {
  const { client, url, name } = await server.create()
  await client.query(`alter database ${name} set datestyle = 'SQL, DMY'`)
  await client.query(`alter database ${name} set timezone = 'Pacific/Auckland'`)
  const owner = await connectOwner(url)
  const pool = createPool(url, 1, SET_SESSION)
  const settings = "select current_setting('TimeZone') as zone, current_setting('DateStyle') as style"
  for (const direct of [owner, pool])
    expect((await direct.query(settings)).rows).toEqual([{ zone: "UTC", style: "ISO, MDY" }])
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  await expect(owner.query("select 1")).rejects.toThrow()
  const ask = async () => (await pool.query(settings).catch(() => ({ rows: [] }))).rows
  await expect.poll(ask).toEqual([{ zone: "UTC", style: "ISO, MDY" }])
  await pool.end()
  await owner.end().catch(() => {})
})
