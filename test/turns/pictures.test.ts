import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { addImageModel, logInMedia, PAINTER, PICTURES, pictureAnswer, serveImages } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const PAINT = '[call generate_image {"prompt":"a cat"}]'
/** 0.04 USD. */
const PRICE = 400_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.sql("delete from former_prices")
  await world.sql("delete from model_catalog where kind = 'image'")
  await addImageModel(world)
  await logInMedia(world)
})

interface PaidCall {
  step: number
  call: number | null
  model: string
  provider: string
  account: string | null
  role: string
  subagent: string | null
  cost: number
  billed: number
  price_version: number
}

const callsOf = (turnId: string, table = "usage") =>
  world.sql<PaidCall>(
    `select step, call, model, provider, subscription_id as account, role, subagent, cost_credit_micros::float8 as cost,
       billed_credit_micros::float8 as billed, price_version, tokens_input + tokens_output = 0 as no_tokens, duration_sec >= 0 as took
     from ${table} where turn_id = $1 order by step, call nulls first`,
    [turnId],
  )
const picturesOf = async (turnId: string, table = "usage") =>
  (await callsOf(turnId, table)).filter(({ call }) => call !== null)
const costOf = (calls: PaidCall[]) => calls.reduce((sum, { cost }) => sum + cost, 0)
const micros = (usd: number) => Math.round(usd * 10_000_000)

async function expectSoundBooks(client: TestClient) {
  await expectPromises(world, client.userId)
  const { findings } = await reconcileAsAdmin(await signInAdmin(world))
  expect(findings).toEqual([])
}

const contentOf = async (client: TestClient, { outputs }: Turn) =>
  Buffer.from(await (await client.call("GET", `/v1/files/${outputs[0]?.file_id}/content`)).arrayBuffer())

describe("A picture", () => {
  test.each(["png", "jpg", "webp"] as const)(
    "A picture of %s is an output with its bytes and type, which the model sees too",
    async (kind) => {
      const asked = serveImages(world, () => pictureAnswer(PICTURES[kind]))
      const client = await world.createAccount()
      const text = `[call generate_image {"prompt":"a cat","size":"1536x1024","name":"../my cat.jpeg"}]\n[call list_files {}]`
      const turn = await client.runTurn({ space: await client.space(PAINTER), text })
      const file = {
        name: `my cat.${kind}`,
        media_type: kind === "jpg" ? "image/jpeg" : `image/${kind}`,
        bytes: PICTURES[kind].length,
        sha256: createHash("sha256").update(PICTURES[kind]).digest("hex"),
      }
      expect(turn, JSON.stringify(turn.error)).toMatchObject({ state: "done", outputs: [file] })
      expect(await contentOf(client, turn)).toEqual(PICTURES[kind])
      const [id] = turn.outputs.map(({ file_id }) => file_id)
      expect(turn.result).toContain(`generate_image answered: {"file_id":"${id}","name":"${file.name}"`)
      expect(turn.result).toContain(`list_files answered: [{"file_id":"${id}"`)
      expect(asked).toMatchObject([
        {
          url: "https://media.test/v1/images/generations",
          headers: { authorization: "Bearer canary-media-token-1", "idempotency-key": `${turn.turn_id}.0.0` },
        },
      ])
      expect(asked[0]?.body).toEqual({ model: "gpt-image-1", prompt: "a cat", size: "1536x1024", n: 1 })
      await expectPromises(world, client.userId)
    },
  )

  test("A picture is a separate call, billed once with its turn, in usage, report and ledger", async () => {
    serveImages(world)
    const client = await world.createAccount()
    const turn = await client.runTurn({
      space: await client.space(PAINTER),
      text: `${PAINT}\n[and call generate_image {"prompt":"b"}]`,
    })
    expect(turn).toMatchObject({ state: "done", usage: { model_calls: 4, tool_calls: 2 } })
    expect(turn.outputs.map(({ name }) => name).sort()).toEqual(["picture-0-0.png", "picture-0-1.png"])
    const calls = await callsOf(turn.turn_id)
    const picture = { step: 0, model: "openai/gpt-image-1", provider: "openai", account: "media", role: "orchestrator" }
    expect(calls).toMatchObject([
      { step: 0, call: null, model: "rehearsal/standard", account: null },
      { ...picture, call: 0, cost: PRICE, billed: PRICE, price_version: 1, no_tokens: true, took: true },
      { ...picture, call: 1, cost: PRICE, billed: PRICE },
      { step: 1, call: null },
    ])
    expect(micros(turn.billed_cost_usd)).toBe(costOf(calls))
    const report = await (await client.call("GET", "/v1/usage?group_by=model")).json()
    expect(report).toMatchObject({
      data: [
        { group: "openai/gpt-image-1", billed_usd: 0.08, model_calls: 2, tokens_input: 0 },
        { group: "rehearsal/standard", model_calls: 2 },
      ],
      total: { billed_usd: turn.billed_cost_usd, model_calls: 4, turns: 1 },
    })
    const days = await (await client.call("GET", "/v1/usage?group_by=day")).json()
    expect(days).toMatchObject({ total: { billed_usd: turn.billed_cost_usd, model_calls: 4, turns: 1 } })
    await expectSoundBooks(client)
  })

  test("A sub-agent's picture counts as the sub-agent's call, and the sub-agent needs the tool", async () => {
    serveImages(world)
    const client = await world.createAccount()
    const subagents = [
      { name: "painter", description: "Paints.", tools: ["generate_image"] },
      { name: "writer", description: "Writes.", tools: ["write_file"] },
    ]
    const space = await client.space({ manifest: { ...PAINTER.manifest, subagents } })
    const turn = await client.runTurn({ space, text: `[delegate painter ${PAINT}]\n[delegate writer ${PAINT}]` })
    expect(turn.result).toContain('generate_image failed: There is no tool "generate_image"')
    expect(await picturesOf(turn.turn_id)).toMatchObject([{ role: "subagent", subagent: "painter", cost: PRICE }])
    expect(turn.outputs).toHaveLength(1)
    await expectSoundBooks(client)
  })

  test("A web chat's picture is one of the chat's calls", async () => {
    serveImages(world)
    const client = await world.createAccount()
    const browser = await world.signIn(client.userId)
    const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine", ...PAINTER })
    const [status] = await browser.json("PUT", `/api/account/spaces/${space}/manifest`, PAINTER.manifest)
    expect(status).toBe(200)
    const [, { turn_id }] = await browser.json("POST", "/api/account/chat/turns", { space, text: PAINT })
    await world.drain()
    const [, turn] = await browser.json("GET", `/api/account/chat/turns/${turn_id}`)
    expect(turn).toMatchObject({ state: "done", outputs: [{ name: "picture-0-0.png" }] })
    const calls = await callsOf(turn_id, "chat_calls")
    expect(calls.map(({ step, call, account, billed }) => [step, call, account, billed > 0])).toEqual([
      [0, null, null, true],
      [0, 0, "media", true],
      [1, null, null, true],
    ])
    expect(micros(turn.billed_cost_usd)).toBe(costOf(calls))
    expect(await callsOf(turn_id)).toEqual([])
    await expectSoundBooks(client)
  })

  test("A test turn's picture is a free and constant placeholder, made without account, catalog or network", async () => {
    const asked = serveImages(world)
    await world.sql("delete from model_catalog where kind = 'image'")
    await world.sql("delete from provider_accounts")
    const client = await world.createAccount({ usd: 0, test: true })
    const space = await client.space(PAINTER)
    const turns = [await client.runTurn({ space, text: PAINT }), await client.runTurn({ space, text: PAINT })]
    const [first, second] = await Promise.all(turns.map((turn) => contentOf(client, turn)))
    expect(first?.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a")
    expect(first).toEqual(second)
    for (const turn of turns) {
      expect(turn).toMatchObject({ state: "done", billed_cost_usd: 0, outputs: [{ media_type: "image/png" }] })
      const [picture] = await picturesOf(turn.turn_id)
      expect(picture).toMatchObject({
        model: "rehearsal/standard",
        provider: "rehearsal",
        account: null,
        cost: 0,
        billed: 0,
      })
    }
    expect(asked).toEqual([])
    await expectPromises(world, client.userId)
  })
})

describe("Permission to make pictures", () => {
  const said = async (space: object, text = PAINT) => {
    const client = await world.createAccount()
    const turn = await client.runTurn({ space: await client.space(space), text })
    await expectPromises(world, client.userId)
    return turn.result
  }
  const NO_TOOL = 'failed: There is no tool "generate_image".'

  test("A space whose manifest allows pictures can make them while the catalog has a picture model", async () => {
    serveImages(world)
    expect(await said(PAINTER)).toContain("generate_image answered")
    expect(await said({}), "not allowed by default").toContain(NO_TOOL)
    expect(await said({ manifest: { builtin_tools: ["write_file"] } })).toContain(NO_TOOL)
    await world.sql("update model_catalog set enabled = false where kind = 'image'")
    expect(await said(PAINTER)).toContain(NO_TOOL)
  })

  test("The manifest's picture model is used while it is enabled, and otherwise the first enabled model", async () => {
    const asked = serveImages(world)
    const other = await addImageModel(world, { model: "dall-e-3", usd: 0.1, sortOrder: 2 })
    const named = { manifest: { ...PAINTER.manifest, image_model: other } }
    const client = await world.createAccount()
    const space = await client.space(named)
    await client.runTurn({ space: await client.space(PAINTER), text: PAINT })
    const { turn_id } = await client.runTurn({ space, text: PAINT })
    expect(asked.map(({ body }) => body.model)).toEqual(["gpt-image-1", "dall-e-3"])
    expect(asked[1]?.body).toMatchObject({ response_format: "b64_json", size: "1024x1024" })
    expect(await picturesOf(turn_id)).toMatchObject([{ model: other, cost: 1_000_000 }])
    await world.sql("update model_catalog set enabled = false where pin = $1", [other])
    expect((await client.runTurn({ space, text: PAINT })).result).toContain(NO_TOOL)
    const refused = await client.call("POST", "/v1/spaces", { title: "x", ...named })
    expect([refused.status, await refused.json()]).toMatchObject([422, { error: { param: "manifest.image_model" } }])
    for (const image_model of ["rehearsal/standard", "openai/none"]) {
      const put = await client.call("PUT", `/v1/spaces/${space}/manifest`, { image_model })
      expect([put.status, await put.json()]).toMatchObject([422, { error: { param: "image_model" } }])
    }
  })

  test("A picture costs the price at the time when its turn was accepted", async () => {
    serveImages(world)
    const admin = await signInAdmin(world)
    const client = await world.createAccount()
    const space = await client.space(PAINTER)
    const early = await turnOf(await client.sendTurn({ space, text: PAINT }))
    await world.settled()
    await world.advance(5)
    const [status] = await admin.json("PUT", "/api/admin/model-catalog/openai%2Fgpt-image-1/prices", { picture: 0.5 })
    expect(status).toBe(200)
    await world.drain()
    const late = await client.runTurn({ space, text: PAINT, end_user_ref: "b" })
    expect(await picturesOf(early.turn_id)).toMatchObject([{ cost: PRICE, price_version: 1 }])
    expect(await picturesOf(late.turn_id)).toMatchObject([{ cost: 5_000_000, price_version: 2 }])
    await expectSoundBooks(client)
  })
})

describe("The hold", () => {
  const FAILED = "The rest of the turn's budget does not cover the price of a picture."

  test("The hold grows for a picture; if it cannot, the model gets an error, and nothing is requested or charged", async () => {
    const asked = serveImages(world)
    await world.sql("update model_catalog set price_image = 30000000 where kind = 'image'")
    const rich = await world.createAccount({ usd: 10 })
    const dear = await rich.runTurn({ space: await rich.space(PAINTER), text: PAINT })
    expect(dear.state).toBe("done")
    expect(micros(dear.billed_cost_usd), "3 USD with a hold of 0.25").toBeGreaterThan(30_000_000)
    const capped = await rich.runTurn({ space: await rich.space(PAINTER), text: PAINT, max_cost_usd: 2.9 })
    expect(capped).toMatchObject({ state: "done", outputs: [] })
    expect(capped.result).toContain(FAILED)
    const poor = await world.createAccount({ usd: 2 })
    const turn = await poor.runTurn({ space: await poor.space(PAINTER), text: PAINT })
    expect(turn.result).toContain(FAILED)
    expect(asked).toHaveLength(1)
    for (const { turn_id } of [capped, turn]) expect(await picturesOf(turn_id)).toEqual([])
    await expectPromises(world, rich.userId)
    await expectSoundBooks(poor)
  })

  test("The hold pays for as many pictures of a step as it covers, and the bill never exceeds it", async () => {
    serveImages(world)
    const client = await world.createAccount()
    const text = [PAINT, ...Array.from({ length: 5 }, (_, n) => `[and call generate_image {"prompt":"${n}"}]`)].join(
      "\n",
    )
    const turn = await client.runTurn({ space: await client.space(PAINTER), text, max_cost_usd: 0.15 })
    expect(turn.state).toBe("done")
    expect(turn.outputs).toHaveLength(3)
    expect(turn.result?.split(FAILED)).toHaveLength(4)
    expect(turn.billed_cost_usd).toBeGreaterThan(0.12)
    expect(turn.billed_cost_usd).toBeLessThanOrEqual(0.15)
    await expectSoundBooks(client)
  })

  test("The key's cap limits pictures too", async () => {
    serveImages(world)
    const client = await world.createAccount()
    const { key_id, value } = await world.makeKey(client.userId)
    await world.sql("update api_keys set daily_credit_micros = 300000 where key_id = $1", [key_id])
    const bound = world.createClient(client.userId, value)
    const turn = await bound.runTurn({ space: await bound.space(PAINTER), text: PAINT })
    expect(turn.result).toContain(FAILED)
    await expectSoundBooks(client)
  })
})
