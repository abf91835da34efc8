import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { type Scenario, sendUntilAnswered, survivesEveryFailure } from "../harness/crash.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ upstreams: { model: inject("modelUrl") } })
  await addModel(world)
})
afterAll(() => world.close())

/** The cost of 120 prompt tokens and 30 output tokens at the test model's prices. */
const MODEL_COST = 120 * 30 + 30 * 150
const BILL = ["done", MODEL_COST]

/** Sends a turn and reads the whole answer. A client whose answer breaks off sends the same request again. */
async function sendAndRead(client: TestClient, body: object, reads: boolean): Promise<void> {
  const headers = { "idempotency-key": crypto.randomUUID(), ...(reads && { accept: "text/event-stream" }) }
  const path = reads ? "/v1/turns" : "/v1/turns?wait=1"
  const send = async () => {
    const response = await client.call("POST", path, { end_user_ref: "customer-1", text: "hello", ...body }, headers)
    return response.ok ? new Response(await response.text(), response) : response
  }
  const response = await world.untilAnswered(sendUntilAnswered(send))
  expect([200, 202], await response.text()).toContain(response.status)
}

const scenarioOf = (name: string, reads: boolean, texts: string[]): Scenario => ({
  name,
  async act(client, space) {
    for (const text of texts) await sendAndRead(client, { space, model: MODEL_PIN, text }, reads)
  },
  check: (turns) => expect(turns.map(({ state, billed }) => [state, billed])).toEqual(texts.map(() => BILL)),
})

test.each([
  scenarioOf("two turns of one conversation in place, with ?wait", false, ["first", "second"]),
  scenarioOf("a streamed turn in place", true, ["first"]),
  scenarioOf("two streamed turns of one conversation in place", true, ["first", "second"]),
])("$name survives a failure at every I/O", (scenario) => survivesEveryFailure(world, scenario))
