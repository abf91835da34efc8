import { createClient } from "@redis/client"
import { createRedisMock } from "js-redis-server"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createRedisRest } from "../../src/local/redis.ts"

const TOKEN = "ours"

/** A Redis server of another owner, with Redis's default number of databases. */
let server: Awaited<ReturnType<typeof createRedisMock>>
let url: string
let other: ReturnType<typeof createClient>
beforeAll(async () => {
  server = await createRedisMock({ databaseCount: 16 })
  url = `redis://127.0.0.1:${server.addresses()[0]?.port}`
  other = createClient({ url })
  await other.connect()
})
afterAll(async () => {
  other.destroy()
  await server.close()
})

async function ask(rest: Awaited<ReturnType<typeof createRedisRest>>, ...words: string[]): Promise<unknown> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const call = { method: "POST", path: "/", search: "", headers, body: Buffer.from(JSON.stringify(words)) }
  return JSON.parse(String((await rest.service(call)).body)).result
}

test("Other keys on the server at REDIS_URL survive a start, a flush and an end; keys of an earlier run do not", async () => {
  await other.set("theirs", "1")
  await other.select(7)
  await other.set("far", "1")
  await other.select(0)
  await other.set("turnpike:[a]:left", "1")
  const rest = await createRedisRest({ url, prefix: "turnpike:[a]:", token: TOKEN })
  expect(await other.keys("*")).toEqual(["theirs"])
  expect(await ask(rest, "SET", "own", "1")).toBe("OK")
  expect((await other.keys("*")).sort()).toEqual(["theirs", "turnpike:[a]:own"])
  expect(await ask(rest, "DBSIZE")).toBe(1)
  expect(await ask(rest, "FLUSHDB")).toBe("OK")
  expect(await ask(rest, "SET", "own", "2")).toBe("OK")
  await rest.close()
  expect(await other.keys("*")).toEqual(["theirs"])
  await other.select(7)
  expect(await other.keys("*")).toEqual(["far"])
})
