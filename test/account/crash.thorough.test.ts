import { afterAll, beforeAll, expect, test } from "vitest"
import { type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type Browser = Awaited<ReturnType<World["signIn"]>>

/** The owner's browser. The sign-in has the same faults. */
async function signIn({ userId }: TestClient): Promise<Browser> {
  return world.signIn(userId).catch(() => world.signIn(userId))
}

async function untilAnswered(browser: Browser, path: string, body?: object, headers = {}) {
  for (let tries = 0; tries < 3; tries++) {
    const [status, answer] = await browser.json("POST", path, body, headers)
    if (status < 300) return answer
    expect([status, answer.code]).toEqual([503, "UNAVAILABLE"])
  }
  throw new Error("never answered")
}

const scenarios: Scenario[] = [
  {
    name: "a web-chat turn",
    async act(client, space) {
      const body = { space, text: "[steps 2]\n[use input=100 output=10]" }
      await untilAnswered(await signIn(client), "/api/account/chat/turns", body, { "idempotency-key": "one" })
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => [turn.state, turn.chat])).toEqual([["done", true]])
      expect(turns[0]?.billed).toBeGreaterThan(0)
    },
  },
  {
    name: "revoking a key with turns under way, and another key's behind them",
    async act(client, space) {
      for (const text of ["first", "second"]) await sendUntilAccepted(client, { space, text })
      const browser = await signIn(client)
      const { value } = await untilAnswered(browser, "/api/account/keys", { name: "other", scope: "space", space })
      await sendUntilAccepted(world.createClient(client.userId, value), { space, text: "third" })
      const [{ key_id }] = (await world.sql("select key_id from api_keys where user_id = $1 and name = 'test'", [
        client.userId,
      ])) as [{ key_id: string }]
      await untilAnswered(browser, `/api/account/keys/${key_id}/revoke`)
      await world.drain()
    },
    check(turns) {
      expect(turns.map((turn) => turn.state)).toEqual(["cancelled", "cancelled", "done"])
      expect(turns.map((turn) => turn.billed > 0)).toEqual([false, false, true])
    },
  },
]

test.each(scenarios)("$name survives a failure at every I/O", (scenario) => survivesEveryFailure(world, scenario))
