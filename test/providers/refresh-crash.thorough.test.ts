import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { databaseOver } from "../../src/platform/db.ts"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { freshCredential, ProviderUnusable } from "../../src/providers/refresh.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"
import { accountNow, createRefresher, credentialOf } from "../harness/refreshing.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.provider.mend()
  world.provider.wrongs.length = 0
})

let accounts = 0
async function expired() {
  const { provider_id } = await world.added(`acc-${++accounts}`)
  await world.advance(3_600_000)
  return provider_id
}

/** Lets the worker's waits pass until it has ended or died. */
async function ended<T>(work: Promise<T>, died: () => boolean): Promise<T | "dead"> {
  let done = false
  const all = work.finally(() => {
    done = true
  })
  all.catch(() => {})
  while (!done && !died()) {
    await world.isCalm(250)
    if (!done && !died()) await world.advance(Math.min(1_000, Math.max(50, world.clock.untilNext())))
  }
  return done ? all : "dead"
}

const outcome = (error: unknown) => (error instanceof ProviderUnusable ? (error.health ?? "passing") : "an error")

/**
 * Asserts that the provider saw no refresh token twice, and that the account is either contained or
 * usable with the refresh token that the provider would accept.
 */
async function expectSound(id: string) {
  await world.advance(PROVIDER_POLICY.refreshMs + PROVIDER_POLICY.pollLateMs + 1)
  await world.sweep()
  const { health, refreshing } = await accountNow(world, id)
  expect([refreshing, world.provider.wrongs]).toEqual([false, []])
  if (health === "contained") {
    await world.added(id)
    expect((await accountNow(world, id)).health).toBe("healthy")
  }
  await world.advance(3_600_000)
  const sent = await freshCredential(createRefresher(world).ctx, await credentialOf(world, id))
  expect([world.provider.accountOfToken(sent.secret), world.provider.wrongs]).toEqual([id, []])
  return health
}

/** The external calls of a refresh, in order. The first test checks them. */
const BOUNDARIES = ["claim_refresh", "exchange", "save_refresh"]

test("A refresh has three boundaries", async () => {
  const worker = createRefresher(world)
  await freshCredential(worker.ctx, await credentialOf(world, await expired()))
  expect(worker.seen).toEqual(BOUNDARIES)
})

const deaths = BOUNDARIES.flatMap((what) => (["before", "after"] as const).map((when) => ({ what, when })))

test.each(deaths)("A worker that dies $when $what leaves a consistent account", async ({ what, when }) => {
  const id = await expired()
  const worker = createRefresher(world, { fault: { what, when, how: "die" } })
  expect(await ended(freshCredential(worker.ctx, await credentialOf(world, id)), () => worker.isDead())).toBe("dead")
  const saved = what === "save_refresh" && when === "after"
  const unclaimed = what === "claim_refresh" && when === "before"
  expect(await expectSound(id)).toBe(saved || unclaimed ? "healthy" : "contained")
})

test.each(deaths)(
  "Another worker that continues after one has died $when $what leaves a consistent account",
  async ({ what, when }) => {
    const id = await expired()
    const credential = await credentialOf(world, id)
    const worker = createRefresher(world, { fault: { what, when, how: "die" } })
    await ended(freshCredential(worker.ctx, credential), () => worker.isDead())
    const other = createRefresher(world)
    const came = await ended(freshCredential(other.ctx, credential), () => false).catch(outcome)
    const saved = what === "save_refresh" && when === "after"
    const unclaimed = what === "claim_refresh" && when === "before"
    if (saved || unclaimed) expect(came).toMatchObject({ credential_version: 2 })
    else expect(came).toBe("contained")
    expect(await expectSound(id)).toBe(saved || unclaimed ? "healthy" : "contained")
  },
)

test.each([
  ...deaths.flatMap((boundary) => [1, 2, 3].map((times) => ({ ...boundary, times, comes: "healthy" }))),
  ...deaths.map((boundary) => ({ ...boundary, times: 100, comes: "unknown" })),
])(
  "An answer of $what that is lost $when its effect, $times times, leaves a consistent account",
  async ({ what, when, times, comes }) => {
    const id = await expired()
    const worker = createRefresher(world, { fault: { what, when, how: "lose", times } })
    const called = await ended(freshCredential(worker.ctx, await credentialOf(world, id)), () => false).catch(outcome)
    const health = await expectSound(id)
    if (what === "exchange") expect([called, health]).toEqual(["contained", "contained"])
    else if (comes === "healthy") expect([called, health]).toMatchObject([{ credential_version: 2 }, "healthy"])
  },
)

test.each([
  ["before", 1],
  ["after", 1],
  ["before", 100],
  ["after", 100],
] as const)(
  "A failed refresh whose final write is lost (%s its effect, %i times) leaves a consistent account",
  async (when, times) => {
    for (const [answer, health] of [
      [() => new Response("", { status: 500 }), "healthy"],
      [() => Response.json({ error: "invalid_grant" }, { status: 400 }), "needs_login"],
    ] as const) {
      const id = await expired()
      world.provider.at("/token", answer)
      const worker = createRefresher(world, { fault: { what: "fail_refresh", when, how: "lose", times } })
      const called = await ended(freshCredential(worker.ctx, await credentialOf(world, id)), () => false).catch(outcome)
      expect(called).toBe(health === "healthy" ? "passing" : health)
      world.provider.mend()
      await world.advance(PROVIDER_POLICY.refreshMs + PROVIDER_POLICY.pollLateMs + 1)
      await world.sweep()
      const never = when === "before" && times === 100
      expect((await accountNow(world, id)).health).toBe(never ? "contained" : health)
      expect(world.provider.wrongs).toEqual([])
    }
  },
)

test("A slow worker saves after its time, and the account is healthy again", async () => {
  const id = await expired()
  const credential = await credentialOf(world, id)
  const worker = createRefresher(world, { fault: { what: "save_refresh", when: "before", how: "lose", times: 2 } })
  const slow = freshCredential(worker.ctx, credential)
  await world.clock.sleeping(1, PROVIDER_POLICY.saveWaitsMs[0])
  await world.sql("update provider_credentials set refreshing_until = $1 where provider_id = $2", [
    new Date(world.clock.ms() - 1).toISOString(),
    id,
  ])
  expect(await freshCredential(createRefresher(world).ctx, credential).catch(outcome)).toBe("contained")
  expect((await accountNow(world, id)).health).toBe("contained")
  expect(await ended(slow, () => false)).toMatchObject({ credential_version: 2 })
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 2, refreshing: false })
})

const claimEnd = async (id: string) => {
  const [row] = await world.sql<{ ms: number }>(
    "select (extract(epoch from refreshing_until) * 1000)::float8 as ms from provider_credentials where provider_id = $1",
    [id],
  )
  return row?.ms
}

test("A claim whose answers were lost has its full time from the answer that arrived", async () => {
  const id = await expired()
  let left = 0
  world.provider.at("/token", async (_request, right) => {
    left = ((await claimEnd(id)) ?? 0) - world.clock.ms()
    return right()
  })
  const worker = createRefresher(world, { fault: { what: "claim_refresh", when: "after", how: "lose", times: 3 } })
  const called = freshCredential(worker.ctx, await credentialOf(world, id))
  for (const waitMs of PROVIDER_POLICY.saveWaitsMs) {
    await world.clock.sleeping(1, waitMs)
    await world.advance(waitMs)
  }
  expect(await called).toMatchObject({ credential_version: 2 })
  expect(left).toBe(PROVIDER_POLICY.refreshMs)
})

test("A claim that leaves too little time for an exchange is released, and no request is sent", async () => {
  const id = await expired()
  const { ctx, seen } = createRefresher(world)
  const late = databaseOver(async (statement) => {
    const answer = await ctx.db.run(statement)
    if (statement.sql.includes("claim_refresh")) await world.advance(PROVIDER_POLICY.refreshMs - 5_000)
    return answer
  })
  expect(await freshCredential({ ...ctx, db: late }, await credentialOf(world, id)).catch(outcome)).toBe("passing")
  expect(seen).toEqual(["claim_refresh", "fail_refresh"])
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 1, refreshing: false })
  expect(await expectSound(id)).toBe("healthy")
})

test("A caller that disconnects does not stop the refresh, which the invocation completes and saves", async () => {
  const id = await expired()
  let answer = () => {}
  const asked = new Promise<void>((reached) => {
    world.provider.at("/token", async (_request, right) => {
      const free = new Promise<void>((resolve) => {
        answer = resolve
      })
      reached()
      await free
      return right()
    })
  })
  const worker = createRefresher(world)
  void freshCredential(worker.ctx, await credentialOf(world, id))
  await asked
  const background = worker.settled()
  answer()
  await background
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 2, refreshing: false })
})

test("A login during a refresh keeps its own credential", async () => {
  const id = await expired()
  world.provider.at("/token", async (_request, right) => {
    world.provider.mend()
    const answer = await right()
    await world.added(id)
    return answer
  })
  const sent = await freshCredential(createRefresher(world).ctx, await credentialOf(world, id))
  expect(sent.credential_version).toBe(2)
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 2, refreshing: false })
  await world.advance(3_600_000)
  expect(await freshCredential(createRefresher(world).ctx, await credentialOf(world, id))).toMatchObject({
    credential_version: 3,
  })
  expect(world.provider.wrongs).toEqual([])
})
