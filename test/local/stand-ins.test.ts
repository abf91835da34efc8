import { NeonDbError, neon, neonConfig } from "@neondatabase/serverless"
import { Redis } from "@upstash/redis"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { holdRows, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { openNamespace, type TestNamespace } from "../harness/namespace.ts"

let namespace: TestNamespace
let redis: Redis
const sql = () => neon(namespace.ownerUrl, { fullResults: true })

beforeAll(async () => {
  // The settings of a session are checked in connections that no earlier request used.
  namespace = await openNamespace({ isNew: true })
  await waitForLocks(namespace)
  redis = new Redis({
    url: namespace.env.UPSTASH_REDIS_REST_URL as string,
    token: namespace.env.UPSTASH_REDIS_REST_TOKEN as string,
  })
  await namespace.sql("create table probe (id integer primary key, note text unique check (note <> 'bad'))")
})
beforeEach(() => {
  neonConfig.fetchEndpoint = namespace.env.DATABASE_HTTP_URL as string
})
afterAll(() => namespace.close())

describe("The Neon stand-in, through the unmodified driver", () => {
  test("Values come back as the driver's types", async () => {
    const { rows, rowCount, command, fields } =
      await sql()`select ${7}::int as n, ${"é\u{1F600}"}::text as t, null as nothing,
      ${[1, 2]}::int[] as list, ${{ a: [1] }}::jsonb as doc, 9007199254740993::bigint as big, true as yes,
      '2026-01-02T03:04:05Z'::timestamptz as at, '\\x00ff'::bytea as bytes`
    expect(rows[0]).toMatchObject({
      n: 7,
      t: "é\u{1F600}",
      nothing: null,
      list: [1, 2],
      doc: { a: [1] },
      big: "9007199254740993",
      yes: true,
    })
    expect((rows[0] as { at: Date }).at.toISOString()).toBe("2026-01-02T03:04:05.000Z")
    expect([...(rows[0] as { bytes: Uint8Array }).bytes]).toEqual([0, 255])
    expect([rowCount, command, fields[0]?.name]).toEqual([1, "SELECT", "n"])
  })

  test("A batch is one transaction: all or none, at the requested isolation level", async () => {
    const db = sql()
    await expect(
      db.transaction([db`insert into probe values (1, 'x')`, db`insert into probe values (2, 'bad')`]),
    ).rejects.toThrow()
    expect((await db`select * from probe`).rows).toEqual([])
    const level = await db.transaction([db`select current_setting('transaction_isolation') as level`], {
      isolationLevel: "Serializable",
    })
    expect(level[0]?.rows[0]).toEqual({ level: "serializable" })
    await expect(db.transaction([db`insert into probe values (3, 'y')`], { readOnly: true })).rejects.toMatchObject({
      code: "25006",
    })
  })

  test("Errors have PostgreSQL's fields", async () => {
    const error = await sql()`insert into probe values (4, 'bad')`.then(
      () => null,
      (thrown: unknown) => thrown as NeonDbError,
    )
    expect(error).toBeInstanceOf(NeonDbError)
    expect(error).toMatchObject({
      code: "23514",
      constraint: "probe_note_check",
      table: "probe",
      schema: "public",
      severity: "ERROR",
    })
    await expect(sql().query("select 1; select 2")).rejects.toMatchObject({ code: "42601" })
    const wrong = namespace.ownerUrl.replace(/:[^:@]+@/, ":wrong@")
    await expect(neon(wrong)`select 1`).rejects.toMatchObject({
      message: `password authentication failed for user '${new URL(wrong).username}'`,
      code: "",
    })
  })

  test("An error of a statement closes its connection, and one of a batch does not", async () => {
    const own = await openNamespace({ isNew: true })
    neonConfig.fetchEndpoint = own.env.DATABASE_HTTP_URL as string
    const db = neon(own.ownerUrl)
    const pid = async () => (await db`select pg_backend_pid() as pid`)[0]?.pid
    const first = await pid()
    expect(await pid()).toBe(first)
    expect(await own.connections()).toEqual({ opened: 1, dropped: 0, surplus: 0, errors: {} })
    await expect(db`select 1 / 0`).rejects.toMatchObject({ code: "22012" })
    const second = await pid()
    expect(second).not.toBe(first)
    const errors = { "22012 select ? / ?": 1 }
    expect(await own.connections()).toEqual({ opened: 2, dropped: 1, surplus: 0, errors })
    await expect(db.transaction([db`select 1 / 0`])).rejects.toMatchObject({ code: "22012" })
    expect(await own.connections()).toMatchObject({ dropped: 1, errors })
    await own.close()
  })

  test("Twenty connections stay open after a burst", async () => {
    const own = await openNamespace({ isNew: true })
    neonConfig.fetchEndpoint = own.env.DATABASE_HTTP_URL as string
    const db = neon(own.ownerUrl)
    await waitForLocks(own)
    // Each waits until all have come, so each has a connection of its own.
    const letGo = await holdRows(own, "select from pg_advisory_xact_lock(9)")
    const burst = Promise.all(Array.from({ length: 30 }, () => db`select pg_advisory_xact_lock_shared(9)`))
    await untilBlocked(own, 30, burst)
    await letGo()
    await burst
    await expect.poll(own.connections).toEqual({ opened: 30, dropped: 0, surplus: 10, errors: {} })
    const open =
      "select count(*)::int as open from pg_stat_activity where datname = current_database() and query like 'CLOSE ALL%'"
    await expect.poll(() => own.sql(open)).toEqual([{ open: 20 }])
    await own.close()
  })

  test("Transactions really run in parallel: write skew is refused", async () => {
    const db = sql()
    await db`insert into probe values (10, 'a'), (11, 'b')`
    const skew = (mine: number, other: number) =>
      db.transaction(
        [
          db`select note from probe where id = ${other}`,
          db`select pg_advisory_xact_lock_shared(7)`,
          db`update probe set note = note || ${"!"} where id = ${mine}`,
        ],
        { isolationLevel: "Serializable" },
      )
    const letGo = await holdRows(namespace, "select from pg_advisory_xact_lock(7)")
    const both = Promise.allSettled([skew(10, 11), skew(11, 10)])
    await untilBlocked(namespace, 2)
    await letGo()
    const results = await both
    const failed = results.filter((result) => result.status === "rejected")
    expect(failed).toHaveLength(1)
    expect(failed[0]?.reason).toMatchObject({ code: "40001" })
  })
})

describe("The Upstash Redis stand-in, through the unmodified SDK", () => {
  test("Values, pipelines of one tick, conditions and expiry work", async () => {
    const value = { text: "é\u{1F600}", list: [1, null, "OK"] }
    expect(await redis.set("doc", value)).toBe("OK")
    expect(await redis.get("doc")).toEqual(value)
    expect(await Promise.all([redis.incr("n"), redis.incr("n"), redis.get("missing")])).toEqual([1, 2, null])
    expect(await redis.set("once", "a", { nx: true, ex: 60 })).toBe("OK")
    expect(await redis.set("once", "b", { nx: true, ex: 60 })).toBeNull()
    expect(await redis.ttl("once")).toBe(60)
    expect(await redis.getdel("once")).toBe("a")
  })

  test("Lua runs atomically, EVALSHA falls back to EVAL, and the Upstash-only first line is accepted", async () => {
    const script = redis.createScript<number>(`#!lua flags=allow-key-locking
      local seen = tonumber(redis.call('GET', KEYS[1]) or '0')
      redis.call('SET', KEYS[1], seen + tonumber(ARGV[1]))
      return seen + tonumber(ARGV[1])`)
    expect(await script.exec(["sum"], ["5"])).toBe(5)
    expect(await script.exec(["sum"], ["2"])).toBe(7)
    const all = await Promise.all(Array.from({ length: 50 }, () => script.exec(["sum"], ["1"])))
    expect(Math.max(...all)).toBe(57)
    await expect(redis.eval("return redis.call('INCR', KEYS[1])", ["doc"], [])).rejects.toThrow(/not an integer/)
  })

  test("A transaction is atomic, a pipeline is not, and a wrong token is refused", async () => {
    expect(await redis.multi().set("a", 1).incr("a").exec()).toEqual(["OK", 2])
    await expect(redis.pipeline().incr("doc").incr("n").exec()).rejects.toThrow()
    expect(await redis.get("n")).toBe(3)
    const stranger = new Redis({ url: namespace.env.UPSTASH_REDIS_REST_URL as string, token: "wrong", retry: false })
    await expect(stranger.get("doc")).rejects.toThrow(/WRONGPASS/)
  })
})

describe("The fault plan", () => {
  const count = async () => (await namespace.sql("select 1 from probe where id = 100")).length
  const insert = () => sql()`insert into probe values (100, 'z')`

  test.each(["fail", "cut"] as const)(
    "The fault %s suppresses a call's effect if set before it, keeps the effect if set after it, and always loses the answer",
    async (action) => {
      await namespace.sql("delete from probe where id = 100")
      await namespace.plan([{ service: "pg", call: 1, action, when: "before" }])
      await expect(insert()).rejects.toThrow()
      expect(await count()).toBe(0)
      await namespace.plan([{ service: "pg", call: 2, match: "insert", action, when: "after" }])
      await sql()`insert into probe values (101, ${`${action}`})`
      await expect(insert()).rejects.toThrow()
      expect(await count()).toBe(1)
      expect((await namespace.calls()).map((call) => [call.n, call.service])).toEqual([
        [1, "pg"],
        [2, "pg"],
      ])
      await namespace.clearFaults()
      await namespace.sql("delete from probe where id = 101")
    },
  )

  test("A hold blocks one call, and only that one, until the faults are cleared", async () => {
    await redis.set("held", 0)
    await namespace.plan([{ service: "redis", call: 1, action: "hold", when: "before" }])
    const held = redis.set("held", 1)
    while ((await namespace.calls()).length === 0);
    expect((await namespace.calls())[0]?.label).toMatch(/^pipeline set/i)
    expect(await redis.get("held"), "another call continues").toBe(0)
    await namespace.clearFaults()
    expect(await held).toBe("OK")
    expect(await redis.get("held")).toBe(1)
  })
})
