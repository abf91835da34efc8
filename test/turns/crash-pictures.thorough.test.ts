import { afterAll, beforeAll, expect, inject, test } from "vitest"
import type { FaultRule } from "../../src/local/faults.ts"
import { sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { addImageModel, logInMedia, PAINTER } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const TEXT = '[use input=100 output=10]\n[call generate_image {"prompt":"a cat"}]\n[reply There it is.]'
const PRICE = 400_000
/** The cost of two calls of the rehearsal model and a picture. */
const COST = 2 * (100 * 10 + 10 * 50) + PRICE

let world: World
beforeAll(async () => {
  world = await createWorld({ upstreams: { media: inject("customerUrl") } })
  await addImageModel(world)
  await logInMedia(world, { url: "https://media.upstream.com/v1" })
})
afterAll(() => world.close())

async function effectsOf(client: TestClient): Promise<Record<string, { asked: number }>> {
  const [turn] = await world.sql<{ turn_id: string }>("select turn_id from turns where user_id = $1", [client.userId])
  const effects = (await (await fetch(`${inject("customerUrl")}/effects/${turn?.turn_id}`)).json()) as object
  return Object.fromEntries(
    Object.entries(effects).map(([key, effect]) => [key.slice(`${turn?.turn_id}.`.length), effect]),
  )
}

test("A turn with a picture survives a failure at every I/O: the picture has one key and is billed once", async () => {
  await survivesEveryFailure(world, {
    name: "a turn with a picture",
    space: PAINTER,
    async act(client, space) {
      await sendUntilAccepted(client, { space, text: TEXT })
      await world.drain()
    },
    async check(turns, client) {
      const paid = await world.sql<{ cost: number }>(
        "select billed_credit_micros::float8 as cost from usage where user_id = $1 and call is not null",
        [client.userId],
      )
      const [turn] = await world.sql<{ outputs: { name: string }[]; turn_id: string }>(
        "select outputs, turn_id from turns where user_id = $1",
        [client.userId],
      )
      // When the endpoint failed, the model got an error and nothing is billed.
      const made = turn?.outputs.length ?? 0
      expect(turns.map(({ state, billed }) => [state, billed])).toEqual([["done", COST - (made ? 0 : PRICE)]])
      expect(paid).toEqual(made ? [{ cost: PRICE }] : [])
      for (const key of Object.keys(await effectsOf(client))) expect(key).toBe("0.0")
    },
  })
})

/** Makes the statement that commits the picture fail in some way, then delivers everything again. */
async function runWithLostResults(way: Pick<FaultRule, "action" | "when">) {
  const client = await world.createAccount()
  await world.plan([{ service: "pg", match: "commit_tool_results", call: 1, times: 99, ...way }])
  const sent = await turnOf(await client.sendTurn({ space: await client.space(PAINTER), text: TEXT }))
  await deliverWhileCommitsFail(world)
  await world.clearFaults()
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  const turn = await client.getTurn(sent.turn_id)
  expect(turn).toMatchObject({ state: "done", result: "There it is.", outputs: [{ name: "picture-0-0.png" }] })
  const [promised] = await expectPromises(world, client.userId)
  expect(promised?.billed, "one effect per key").toBe(COST)
  const losses = await world.sql(
    "select distinct cause, credit_micros::float8 as micros from losses where turn_id = $1 and credit_micros is not null",
    [turn.turn_id],
  )
  return { asked: (await effectsOf(client))["0.0"]?.asked, losses }
}

test("A picture whose commit had no answer is not requested again and is no loss", async () => {
  expect(await runWithLostResults({ action: "cut", when: "after" })).toEqual({ asked: 1, losses: [] })
})

test("A picture that was not committed is requested again with its key and billed once, and the lost one is our loss", async () => {
  const { asked, losses } = await runWithLostResults({ action: "fail", when: "before" })
  expect(asked).toBeGreaterThan(1)
  expect(losses).toEqual([{ cause: "uncommitted", micros: PRICE }])
})
