import { afterAll, beforeAll, expect, test } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { newId } from "../../src/base/ids.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { directContext } from "../../src/ops/direct.ts"
import { migrate } from "../../src/ops/migrations.ts"
import { applyRelease, readRelease } from "../../src/ops/release.ts"
import { markRestored } from "../../src/ops/restored.ts"
import { createApiKey, createUser } from "../../src/ops/seed.ts"
import { STATEMENTS } from "../../src/platform/time-limits.ts"
import { Turnstile } from "../../src/platform/turnstile.ts"
import { listEvents } from "../../src/webhooks/list-events.ts"
import { type Server, startServer } from "../harness/databases.ts"

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** More transactions than a new server has begun. */
const OF_OLD_SERVER = 4_000_000_000

/** A database with an account and a writer of its events. */
async function account() {
  const { client } = await server.create()
  await migrate(client, { phase: "after-deploy" })
  await applyRelease(client, await readRelease())
  const ctx = {
    ...directContext(client),
    background() {},
    log() {},
    logged: {},
    config: { seen: null, expected: null },
    statements: new Turnstile(STATEMENTS),
  } as unknown as Context
  const now = ctx.clock.now()
  const sql = async (query: string, params: unknown[] = []) => (await client.query(query, params)).rows
  const userId = await createUser(sql, {})
  const { value } = await createApiKey(sql, { userId, brand: "turnpike", name: "test", scope: "all", now })
  const credential = parseApiKey(value) as KeyCredential
  /** Writes an event, as this server or as an old one. Returns its id. */
  const write = async (at: Date, xact?: number) => {
    const id = newId("event", at)
    await sql(
      `insert into events (event_id, user_id, test, type, data, created_at, xact)
       values ($1, $2, false, 'balance.low', '{}', $3, coalesce($4::text::xid8, pg_current_xact_id()))`,
      [id, userId, at, xact?.toString() ?? null],
    )
    return id
  }
  const read = async (cursor?: string) => {
    const page = await listEvents(ctx, credential, { filters: { order: "asc" }, limit: 2, cursor })
    return { ids: page.data.map((event) => event.event_id), next: page.next_cursor ?? undefined }
  }
  return { client, now, write, read }
}

test("A reader of the feed continues with its old cursor after a restore on a new server, and misses no event", async () => {
  const { client, now, write, read } = await account()
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
  const made: string[] = []
  for (let n = 0; n < 4; n++) made.push(await write(minutesAgo(20 - 2 * n), OF_OLD_SERVER + n))
  // On a new server, the transactions of restored events have not begun yet, so no reader sees these events.
  expect((await read()).ids).toEqual([])
  expect(await markRestored(client)).toBe(4)
  // A reader sees an event once no older transaction of the server is open, and other tests use this server.
  const firstOnes = async () => (await read()).ids
  await expect.poll(firstOnes).toEqual(made.slice(0, 2))
  const first = await read()

  // A reader that had read three events from the old server, and one that had read an event that is lost.
  const filters = first.next?.split(".")[1]
  const had = `${OF_OLD_SERVER + 2}_${made[2]}.${filters}`
  const lost = `${OF_OLD_SERVER + 9}_${newId("event", minutesAgo(10))}.${filters}`
  const later = await write(now)
  const readOn = async (from: string | undefined) => {
    const seen: string[] = []
    for (let cursor = from; ; ) {
      const { ids, next } = await read(cursor)
      seen.push(...ids)
      if (ids.length === 0) return seen
      cursor = next
    }
  }
  await expect.poll(() => readOn(first.next)).toEqual([...made.slice(2), later])
  expect(await readOn(had)).toEqual([...made.slice(2), later])
  expect(await readOn(lost)).toEqual([later])
})

test("Marking a restored database leaves its events protected", async () => {
  const { client, now, write } = await account()
  await write(now, OF_OLD_SERVER)
  await markRestored(client)
  await expect(client.query("update events set xact = '1'")).rejects.toThrow("append-only")
})
