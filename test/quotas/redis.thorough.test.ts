import { describe, expect, test } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  anyWish,
  createQuotaEstate,
  expectJustified,
  type QuotaEstate,
  sendWishes,
  type WishAnswer,
} from "../harness/quota-load.ts"
import { expectRoomDecides } from "../harness/quota-room.ts"
import { expectNoFaults, watchMoney } from "../harness/quota-watch.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { redisOf } from "../harness/redis.ts"
import { createWorld, type World } from "../harness/world.ts"

const AT_ONCE = 100
const USD = 10_000_000
const ALWAYS = { service: "redis", call: 1, times: 1e9, when: "before" } as const

/** Faults of Redis during a load. Each prepares its state and returns the function that causes the fault. */
const FAILURES: Record<string, (world: World) => Promise<() => Promise<FaultRule[]>>> = {
  "is stopped": async () => async () => [{ ...ALWAYS, action: "cut" }],
  hangs: async () => async () => [{ ...ALWAYS, action: "hold" }],
  "answers errors": async () => async () => [{ ...ALWAYS, action: "fail" }],
  "loses its answers": async () => async () => [{ ...ALWAYS, action: "cut", when: "after" }],
  "is restarted empty": async (world) => async () => {
    await redisOf(world).flush()
    return []
  },
  "fails over to a replica that has stopped long ago": async (world) => {
    const failOver = await redisOf(world).replica()
    return async () => {
      await failOver()
      return []
    }
  },
}

/** All faults in CI; locally one of each kind: no answer, wrong answers, lost data. */
const TRIED = Object.entries(FAILURES)

describe.each(TRIED)("A load during which Redis %s", (name, prepare) => {
  test("Caps hold and turns run without waiting for Redis", async () => {
    const world = await createWorld()
    await watchMoney(world)
    const random = createRandom(name)
    const estate = await cappedEstate(world, random)
    const fail = await prepare(world)
    await world.plan([])
    const seen: { service: string; label: string }[] = []
    const answers = await playLoad(world, estate, random, async (n) => {
      if (n !== AT_ONCE / 4) return
      const { length } = await world.calls()
      const faults = await fail()
      const former = await world.plan(faults)
      // The fault itself may have called Redis.
      seen.push(...former.filter(({ service }, place) => place < length || service !== "redis"))
    })
    seen.push(...(await world.calls()))
    expect(seen.filter(({ label }) => label.includes("accept_turn")).length).toBeGreaterThanOrEqual(AT_ONCE)
    // Only a caller that was refused lately is looked up in Redis, and only what may free it is told there.
    const commands = new Set(seen.filter(({ service }) => service === "redis").map(({ label }) => label))
    expect(["del", "mget", "set"]).toEqual(expect.arrayContaining([...commands]))
    await expectSettled(world, estate, answers)
    await world.close()
  })
})

test("A service without any Redis accepts and runs turns within their caps", async () => {
  const world = await createWorld({ env: { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1" } })
  await watchMoney(world)
  const random = createRandom("no Redis")
  const estate = await cappedEstate(world, random)
  await expectSettled(world, estate, await playLoad(world, estate, random))
  await world.close()
})

test("A replica whose replication stopped has its earlier data and nothing newer", async () => {
  const world = await createWorld()
  const redis = redisOf(world)
  await redis.command("SET", "old", "1")
  await redis.command("HSET", "kept", "field", "value")
  const failOver = await redis.replica()
  await redis.command("SET", "old", "2")
  await redis.command("SET", "new", "2")
  await redis.command("DEL", "kept")
  await failOver()
  expect((await redis.command("KEYS", "*")) as string[]).toHaveLength(2)
  expect(await redis.command("GET", "old")).toBe("1")
  expect(await redis.command("HGET", "kept", "field")).toBe("value")
  await redis.flush()
  expect(await redis.command("KEYS", "*")).toEqual([])
  await world.close()
})

/** An account with every kind of cap, each a few holds large, so that each cap is reached. */
function cappedEstate(world: World, random: Random): Promise<QuotaEstate> {
  const amount = () => 8_000_000 + random.int(8_000_000)
  const limits = {
    balance: 4 * USD,
    key_daily: amount(),
    key_window: amount(),
    window_seconds: 3600,
    end_user_daily: { own: amount() },
    end_user_monthly: { account: amount() },
  }
  return createQuotaEstate(world, limits, 3)
}

function playLoad(
  world: World,
  estate: QuotaEstate,
  random: Random,
  onAnswer = async (_n: number) => {},
): Promise<WishAnswer[]> {
  const wishes = Array.from({ length: AT_ONCE }, () => anyWish(random, estate))
  return sendWishes(world, estate, wishes, { onAnswer })
}

async function expectSettled(world: World, estate: QuotaEstate, answers: WishAnswer[]): Promise<void> {
  const refused = answers.filter(({ refusal }) => refusal !== null)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(answers.length)
  for (const answered of answers) {
    if (answered.refusal === null) expect(answered.timing).toMatch(/redis;dur=[\d.]+;desc="calls=[0-2]"/)
    expectJustified(answered)
  }
  const turns = await expectPromises(world, estate.userId)
  expect(turns.length, "every accepted turn has ended").toBe(answers.length - refused.length)
  await expectShown(world, estate)
  await expectRoomDecides(world, estate, refused.map(({ wish }) => wish).slice(0, 40))
  await expectNoFaults(world)
}

/** The amounts in the API agree with turns and ledger in PostgreSQL. */
async function expectShown(world: World, { userId, clients, refs }: QuotaEstate): Promise<void> {
  const [client] = clients
  const get = async (path: string) =>
    (await (await client?.client.call("GET", path))?.json()) as Record<string, unknown>
  const [books] = await world.sql<{ balance: number }>(
    "select sum(amount_credit_micros)::float8 / 1e7 as balance from ledger where user_id = $1",
    [userId],
  )
  const me = await get("/v1/me")
  expect(me.balance).toMatchObject({ balance_usd: books?.balance, held_usd: 0, available_usd: books?.balance })
  let billed = 0
  for (const ref of refs) {
    const [turns] = await world.sql<{ count: number; billed: number }>(
      `select count(*)::int as count, coalesce(sum(billed_credit_micros), 0)::float8 / 1e7 as billed from turns
       where user_id = $1 and end_user_ref = $2`,
      [userId, ref],
    )
    if (turns?.count === 0) continue
    const shown = { turns: turns?.count, billed_usd: turns?.billed, billed_today_usd: turns?.billed }
    expect(await get(`/v1/end-users/${ref}`)).toMatchObject(shown)
    billed += turns?.billed ?? 0
  }
  expect(billed).toBeGreaterThan(0)
}
