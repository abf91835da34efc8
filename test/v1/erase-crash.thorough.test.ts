import { afterAll, beforeAll, expect, test } from "vitest"
import { ERASURE_POLICY } from "../../src/end-users/policies.ts"
import { sendUntilAccepted, sendUntilAnswered, survivesEveryFailure } from "../harness/crash.ts"
import { canariesOf, liveFully, serveEchoes, spaceOf } from "../harness/full-life.ts"
import { expectPromises } from "../harness/promises.ts"
import { amountsOf, searchEverywhere } from "../harness/search.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveEchoes(world)
})
afterAll(() => world.close())

const allKey = async (client: TestClient) =>
  world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)

async function eraseUntilAnswered(client: TestClient, ref: string): Promise<void> {
  const response = await sendUntilAnswered(() => client.call("DELETE", `/v1/end-users/${encodeURIComponent(ref)}`))
  expect(response.status, await response.text()).toBe(200)
  await world.settled()
}

/** Runs the cron until every erasure of the account is closed. */
async function sweepUntilClosed(client: TestClient): Promise<void> {
  for (let minute = 0; ; minute++) {
    const open = await world.sql("select 1 from erasures where user_id = $1 and checked_at is null", [client.userId])
    if (open.length === 0) return
    expect(minute, "an erasure is stuck").toBeLessThan(20)
    // The first runs follow the cron's schedule; later ones wait until the bucket has been searched again.
    await world.advance(minute < 2 ? 60_000 : ERASURE_POLICY.checkAfterMs)
    await world.drain()
    await world.sweep()
  }
}

const words = new Map<number, Record<string, string>>()

test("An erasure while a turn runs and another waits survives a failure at every I/O", async () => {
  await survivesEveryFailure(world, {
    name: "an erasure",
    space: { manifest: { builtin_tools: ["write_file", "create_task"] } },
    async act(client, space) {
      const all = await allKey(client)
      const canaries = { done: `canary-${client.userId}-done`, running: `canary-${client.userId}-running` }
      words.set(client.userId, canaries)
      const ref = `jane ${canaries.done.slice(-4)}`
      const send = (text: string, conversation: string) =>
        sendUntilAccepted(client, { space, end_user_ref: ref, text, conversation })
      await send(
        `[write ${canaries.done}.txt ${canaries.done}]\n[call create_task {"title":"${canaries.done}"}]`,
        "one",
      )
      await world.drain()
      await send(`[think 5000 ms]\n[write a.txt ${canaries.running}]\n[steps 2]`, canaries.running)
      await send(canaries.running, canaries.running)
      const running = world.drain()
      await Promise.race([running, world.clock.sleeping(1, 5000)])
      await eraseUntilAnswered(all, ref)
      // An erasure that failed to request the cancel lets the turn continue.
      let over = false
      void running.finally(() => (over = true))
      while (!over) {
        await world.advance(5000)
        await Promise.race([running, world.clock.sleeping(1, 5000)])
      }
      // The cron erases turns that had to end first. Its first run may fail too.
      await world.sweep().catch(() => {})
    },
    async check(turns, client) {
      const before = await amountsOf(world, client.userId)
      await sweepUntilClosed(client)
      expect(await searchEverywhere(world, words.get(client.userId) ?? {})).toEqual({})
      expect(await amountsOf(world, client.userId)).toEqual(before)
      expect(turns).toHaveLength(3)
    },
  })
})

test("A bucket that fails before or after any of the erasure's calls leaves no data", async () => {
  const real = world.bucket
  let broken = 0
  for (const when of ["before", "after"] as const) {
    for (let failing = 1; ; failing++) {
      // CI tests both failures at each call; local runs alternate between them.
      const client = await world.createAccount({ usd: 100 })
      const all = await allKey(client)
      const canaries = canariesOf(`bucket${when}${failing}`)
      await liveFully(world, client, { space: await spaceOf(client), ref: "jane", words: canaries })
      const amounts = await amountsOf(world, client.userId)
      let calls = 0
      const at = <Args extends unknown[], Answer>(work: (...args: Args) => Promise<Answer>) => {
        return async (...args: Args): Promise<Answer> => {
          const fails = ++calls === failing
          if (fails && when === "before") throw new Error("R2 is down")
          const answer = await work(...args)
          if (fails) throw new Error("R2's answer was lost")
          return answer
        }
      }
      world.rebind({
        FILES: {
          get: real.get.bind(real),
          put: real.put.bind(real),
          delete: at((keys: string[]) => real.delete(keys)),
          list: at((options: R2ListOptions) => real.list(options)),
        },
      })
      await eraseUntilAnswered(all, "jane")
      world.rebind({ FILES: real })
      const failed = calls >= failing
      await sweepUntilClosed(client)
      const { toolName, ...others } = canaries
      expect(await searchEverywhere(world, { ...others, toolName: toolName.replaceAll("-", "_") })).toEqual({})
      expect(await amountsOf(world, client.userId)).toEqual(amounts)
      await expectPromises(world, client.userId)
      if (!failed) break
      broken++
    }
  }
  console.log(`the bucket failed at ${broken} calls`)
  expect(broken).toBeGreaterThanOrEqual(4)
})

const RACES = 10

test(`Two concurrent erasures and the sweeper erase everything, ${RACES} times`, async () => {
  for (let round = 0; round < RACES; round++) {
    const client = await world.createAccount({ usd: 100 })
    const all = await allKey(client)
    const canaries = canariesOf(`race${round}`)
    await liveFully(world, client, { space: await spaceOf(client), ref: "jane", words: canaries })
    const amounts = await amountsOf(world, client.userId)
    const answers = await Promise.all([
      all.call("DELETE", "/v1/end-users/jane"),
      all.call("DELETE", "/v1/end-users/jane"),
      world.sweep(),
    ])
    const receipts = (await Promise.all([answers[0].json(), answers[1].json()])) as { erasure_id: string }[]
    await sweepUntilClosed(client)
    const [sums] = await world.sql<{ turns: number; files: number; tasks: number }>(
      `select sum(turns)::int as turns, sum(files)::int as files, sum(tasks)::int as tasks from erasures where user_id = $1`,
      [client.userId],
    )
    expect(sums, "each item is counted once").toEqual({ turns: 6, files: 5, tasks: 1 })
    expect(new Set(receipts.map(({ erasure_id }) => erasure_id)).size).toBe(2)
    expect(await searchEverywhere(world, canaries)).toEqual({})
    expect(await amountsOf(world, client.userId)).toEqual(amounts)
  }
})
