import { createClient } from "@redis/client"
import { createRedisMock } from "js-redis-server"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
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

test("Messages of a channel reach its listeners over REST, and PUBLISH tells how many listen", async () => {
  const rest = await createRedisRest({ url, prefix: "turnpike:a:", token: TOKEN })
  const neighbour = await createRedisRest({ url, prefix: "turnpike:b:", token: TOKEN })
  const listen = async (service: typeof rest, channel: string) => {
    const headers = { authorization: `Bearer ${TOKEN}`, accept: "text/event-stream" }
    const call = { method: "POST", path: `/subscribe/${channel}`, search: "", headers, body: Buffer.alloc(0) }
    const answer = await service.service(call)
    expect([answer.status, answer.headers?.["content-type"]]).toEqual([200, "text/event-stream"])
    const parts: string[] = []
    let heard = () => {}
    const first = new Promise<void>((resolve) => {
      heard = resolve
    })
    const leave = answer.stream?.((part) => {
      parts.push(part)
      if (parts.length > 1) heard()
    })
    return { parts, first, leave: leave as () => void }
  }
  expect(await ask(rest, "PUBLISH", "turn:1", "nobody")).toBe(0)
  const [one, two, stranger] = [
    await listen(rest, "turn%3A1"),
    await listen(rest, "turn%3A1"),
    await listen(neighbour, "turn%3A1"),
  ]
  expect(await ask(rest, "PUBLISH", "turn:1", "hello, you")).toBe(2)
  await Promise.all([one.first, two.first])
  expect(one.parts).toEqual(["data: subscribe,turn:1,1\n\n", "data: message,turn:1,hello, you\n\n"])
  expect(two.parts).toEqual(one.parts)
  expect(stranger.parts).toHaveLength(1)
  two.leave()
  await vi.waitUntil(async () => (await ask(rest, "PUBLISH", "turn:1", "again")) === 1)
  await rest.close()
  await neighbour.close()
})
