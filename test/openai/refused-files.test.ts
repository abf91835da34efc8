import { afterAll, beforeAll, expect, test } from "vitest"
import { type JsonBody, readAnswer } from "../harness/answers.ts"
import { cappedAccount } from "../harness/caps.ts"
import { dumpTables } from "../harness/dump.ts"
import { keysOf } from "../harness/search.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const image = (bytes: number) => `data:image/png;base64,${btoa("x".repeat(bytes))}`

/** A chat completion with a picture in its message. */
const send = (client: TestClient, body: object, headers: Record<string, string> = {}, url = image(60_000)) =>
  world.untilAnswered(
    readAnswer(
      client.call(
        "POST",
        "/v1/openai/chat/completions",
        {
          user: "customer-1",
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "See" },
                { type: "image_url", image_url: { url } },
              ],
            },
          ],
          ...body,
        },
        headers,
      ),
    ),
  )

interface Refusal {
  code: string
  status: number
  body?: JsonBody
  arrange?: (client: TestClient, model: string) => Promise<unknown>
  account?: Parameters<typeof cappedAccount>[1]
  url?: string
}

const spaceOf =
  (client: TestClient, model: string) =>
  (path: string, method = "POST", body?: object) =>
    client.call(method, path.replace("{space}", model), body)

const REFUSALS: Record<string, Refusal> = {
  "a blocked end user": {
    status: 403,
    code: "END_USER_BLOCKED",
    arrange: (client) => client.call("PUT", "/v1/end-users/customer-1/limits", { blocked: true }),
  },
  "an account without money": { status: 402, code: "INSUFFICIENT_CREDITS", account: { usd: 0 } },
  "a cap of the key": { status: 429, code: "QUOTA_EXCEEDED", account: { caps: { daily_usd: 0.0000001 } } },
  "a maximum below the first call": { status: 400, code: "COST_LIMIT_TOO_LOW", body: { max_cost_usd: 0.0000001 } },
  "a prepaid end user without credit": {
    status: 402,
    code: "END_USER_CREDIT_SPENT",
    arrange: (client) => client.call("PUT", "/v1/end-users/customer-1/billing", { prepaid: true }),
  },
  "an unknown space": { status: 404, code: "NOT_FOUND", body: { model: "no-such-space" } },
  "an archived space": {
    status: 409,
    code: "SPACE_ARCHIVED",
    arrange: (client, model) => spaceOf(client, model)("/v1/spaces/{space}", "DELETE"),
  },
  "a picture that is not base64": { status: 400, code: "VALIDATION_FAILED", url: "data:image/png;base64,%%%" },
}

for (const [name, { status, code, body = {}, arrange, account = {}, url }] of Object.entries(REFUSALS)) {
  test(`A refused request with files leaves no row and no object: ${name}`, async () => {
    const { client, space: model } = await cappedAccount(world, account)
    await arrange?.(client, model)
    // The first refusal may write the event of a limit.
    await send(client, { model, ...body }, {}, url)
    const [rows, objects] = [await dumpTables(world), await keysOf(world)]
    const refused = await send(client, { model, ...body }, { "idempotency-key": `refused ${name}` }, url)
    expect(refused).toMatchObject({ status, body: { error: { code } } })
    expect(await dumpTables(world)).toEqual(rows)
    expect(await keysOf(world)).toEqual(objects)
    expect(await world.sql("select 1 from files where user_id = $1", [client.userId])).toEqual([])
  })
}

test("A turn that is refused because of its files takes them back, and the same request works later", async () => {
  const { client, space: model } = await cappedAccount(world)
  const key = { "idempotency-key": "twice" }
  const estimate = await readAnswer(
    client.call("POST", "/v1/turns/estimate", { space: model, end_user_ref: "customer-1", text: "See" }),
  )
  const text = `data:text/plain;base64,${btoa("x".repeat(60_000))}`
  const body = { model, max_cost_usd: estimate.body.needed_usd }
  const refused = await send(client, body, key, text)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "COST_LIMIT_TOO_LOW" } } })
  await world.settled()
  expect(await world.sql("select 1 from files where user_id = $1", [client.userId])).toEqual([])
  expect(await world.sql("select 1 from idempotency_keys where user_id = $1", [client.userId])).toEqual([])
  const accepted = await send(client, { model }, key, text)
  expect(accepted.status).toBe(200)
  expect((await readAnswer(client.call("GET", `/v1/spaces/${model}/files`))).body.data).toHaveLength(1)
})
