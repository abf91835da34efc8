import { neon, neonConfig } from "@neondatabase/serverless"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { openNamespace } from "../harness/namespace.ts"
import { redisOf } from "../harness/redis.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ isNew: true })
  await world.sql("create table probe (id integer primary key)")
})
beforeEach(() => {
  neonConfig.fetchEndpoint = world.env.DATABASE_HTTP_URL as string
})
afterAll(() => world.close())

const sql = () => neon(world.ownerUrl)
const twenty = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, work))

/**
 * Acquires a lock that no session keeps. An answer does not wait until its session is reset, so
 * this may have to wait.
 */
const takeLock = (id: number) =>
  sql().transaction([sql()`set local lock_timeout = '10s'`, sql()`select pg_advisory_lock(${id})`])

describe("A PostgreSQL session that starts fresh for each request", () => {
  test("Settings, locks, roles and temporary tables of one request do not reach the next", async () => {
    await twenty(() => sql().query("select set_config('work_mem', '77MB', false), pg_advisory_lock_shared(42)"))
    await twenty(() => sql().query("set role pg_monitor"))
    const seen = await twenty(() => sql().query("select current_setting('work_mem') as memory, current_user as name"))
    for (const [row] of seen) expect(row).not.toMatchObject({ memory: "77MB" })
    for (const [row] of seen) expect(row).not.toMatchObject({ name: "pg_monitor" })
    await takeLock(42)
  })

  test("Prepared names, cursors, temporary tables and open transactions of one request do not reach the next", async () => {
    const one = async (text: string) =>
      void (await sql()
        .query(text)
        .catch(() => {}))
    await twenty(() => one("prepare mine as select 1"))
    await twenty(() => one("create temp table mine (id integer)"))
    await twenty(() => one("select 7 as id into temporary other"))
    await twenty(() => one("listen mine"))
    await twenty(() => one("begin"))
    const left =
      "select (select count(*) from pg_prepared_statements)::integer as names, to_regclass('pg_temp.mine') as mine"
    for (const rows of await twenty(() => sql().query(`${left}, to_regclass('pg_temp.other') as other`))) {
      expect(rows).toEqual([{ names: 0, mine: null, other: null }])
    }
    await sql().query("insert into probe values (77)")
    expect(await sql()`select id from probe where id = 77`).toEqual([{ id: 77 }])
    await sql().query("delete from probe where id = 77")
    expect(await sql()`select count(*)::integer as open from pg_stat_activity where state like 'idle in%'`).toEqual([
      { open: 0 },
    ])
    expect(await sql()`select pg_listening_channels()`).toEqual([])
  })

  test("An unknown function's leftovers are discarded", async () => {
    await world.sql("create function leave_lock() returns void language sql as 'select pg_advisory_lock_shared(43)'")
    await twenty(() => sql().query("select leave_lock()"))
    await twenty(() => sql().query("select /* */ leave_lock/* */()"))
    await takeLock(43)
  })

  test("A procedure's plans are kept", async () => {
    // In a new database, no other session is being reset at the same time.
    const own = await openNamespace({ isNew: true })
    neonConfig.fetchEndpoint = own.env.DATABASE_HTTP_URL as string
    const db = neon(own.ownerUrl)
    const [first] = await db`select pg_backend_pid() as pid`
    const [second] = await db`select pg_backend_pid() as pid`
    expect(second).toEqual(first)
    await own.close()
  })
})

test("An answer above 10 MiB is refused, and no effect of its statement remains", async () => {
  const large = "insert into probe values (1) returning repeat('x', 11 * 1024 * 1024)"
  await expect(sql().query(large)).rejects.toThrow(/507/)
  await expect(sql().transaction([sql()`insert into probe values (2)`, sql().query(large)])).rejects.toThrow(/507/)
  const half = "insert into probe values (2) returning repeat('x', 6 * 1024 * 1024)"
  const halves = [sql().query(half), sql().query(half.replace("2", "4"))]
  await expect(sql().transaction(halves), "in total").rejects.toThrow(/507/)
  expect(await sql()`select * from probe`).toEqual([])
  expect(await sql()`insert into probe values (3) returning id`).toEqual([{ id: 3 }])
})

test("A connection lost inside a statement or a batch is an error of only that one", async () => {
  const db = sql()
  const end = () => db`select pg_terminate_backend(pg_backend_pid())`
  await expect(end()).rejects.toThrow()
  await expect(
    db.transaction([db`insert into probe values (4)`, end(), db`insert into probe values (5)`]),
  ).rejects.toThrow()
  await expect(db.transaction([end()])).rejects.toThrow()
  expect(await db`select * from probe where id > 3`).toEqual([])
})

test("The error for a worker without access to the database says so, and not that waiting helps", async () => {
  const client = await world.createAccount()
  for (const DATABASE_URL of [
    world.ownerUrl.replace(/:[^:@]+@/, ":wrong@"),
    world.ownerUrl.replace(/\/\/[^:]+:/, "//nobody:"),
  ]) {
    world.rebind({ DATABASE_URL })
    const response = await client.call("GET", "/v1/me")
    expect([response.status, response.headers.get("retry-after")]).toEqual([500, null])
    expect(await response.json()).toMatchObject({
      error: { code: "INTERNAL", retryable: false, message: expect.stringContaining("DATABASE_URL") },
    })
  }
  world.rebind({ DATABASE_URL: world.env.DATABASE_URL })
})

test("Secrets of one namespace do not work in another", async () => {
  const other = await openNamespace()
  for (const name of [
    "UPSTASH_REDIS_REST_TOKEN",
    "QSTASH_TOKEN",
    "QSTASH_CURRENT_SIGNING_KEY",
    "QSTASH_NEXT_SIGNING_KEY",
  ]) {
    const [ours, theirs] = [(world.env as unknown as Record<string, string>)[name], other.env[name]]
    expect(ours?.length, name).toBeGreaterThan(20)
    expect(theirs, name).not.toBe(ours)
  }
  await other.close()
})

describe("The Redis stand-in", () => {
  test.each([
    ["MULTI"],
    ["SUBSCRIBE", "news"],
    ["SELECT", "1"],
    ["BLPOP", "list", "0"],
    ["BRPOPLPUSH", "a", "b", "0"],
    ["WATCH", "a"],
    ["MONITOR"],
    ["QUIT"],
    ["FLUSHALL"],
    ["CONFIG", "GET", "*"],
    ["CLIENT", "REPLY", "OFF"],
  ])("Redis refuses %s, which would change the shared connection, and continues", async (...words) => {
    const redis = redisOf(world)
    await expect(redis.command(...words)).rejects.toThrow(/ERR Command is not available/)
    expect(await redis.command("SET", "after", words[0] ?? "")).toBe("OK")
    expect(await redis.command("GET", "after")).toBe(words[0])
  })

  test("Keys belong to one namespace, in commands, scripts and transactions", async () => {
    const other = await openNamespace()
    const [ours, theirs] = [redisOf(world), redisOf({ env: other.env as World["env"] })]
    await ours.command("SET", "same", "ours")
    await theirs.command("SET", "same", "theirs")
    await theirs.command("EVAL", "redis.call('SET', KEYS[2], ARGV[1])", "2", "same", "scripted", "x")
    expect(await ours.command("MGET", "same", "scripted")).toEqual(["ours", null])
    expect(((await theirs.command("KEYS", "s*")) as string[]).sort()).toEqual(["same", "scripted"])
    expect(await theirs.command("DBSIZE")).toBe(2)
    await theirs.flush()
    expect(await theirs.command("DBSIZE")).toBe(0)
    expect(await ours.command("GET", "same")).toBe("ours")
    await other.close()
  })
})
