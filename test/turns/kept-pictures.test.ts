import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addImageModel, logInMedia, PAINTER, PICTURES, pictureAnswer, serveImages } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { cancelInTime, deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const PAINT = '[call generate_image {"prompt":"a cat","name":"cat"}]'
const WRITE = '[and call write_file {"name":"notes.txt","content":"notes"}]'
const BOTH = `${PAINT}\n${WRITE}`
/** 0.04 USD. */
const PRICE = 400_000

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  await addImageModel(world)
  await logInMedia(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ ...PAINTER, tools: [orderTool()], secrets: { TOKEN: "canary" } })
})
afterAll(() => world.close())

const billedPictures = (turnId: string, table = "usage") =>
  world.sql<{ billed: number }>(
    `select billed_credit_micros::float8 as billed from ${table} where turn_id = $1 and call is not null order by call`,
    [turnId],
  )
const filesOf = (turnId: string) =>
  world.sql<{ name: string; state: string }>("select name, state from files where turn_id = $1 order by name", [turnId])

/** Asserts that the turn as read and its last event agree, and that the picture has its bytes. */
async function expectKept(turn: Turn) {
  expect(turn.outputs).toMatchObject([{ name: "cat.png", media_type: "image/png", bytes: PICTURES.png.length }])
  const content = await client.call("GET", `/v1/files/${turn.outputs[0]?.file_id}/content`)
  expect(Buffer.from(await content.arrayBuffer())).toEqual(PICTURES.png)
  const events = await (await client.call("GET", "/v1/events?order=desc&limit=100")).json()
  const told = (events as { data: { type: string; data: { turn?: Turn } }[] }).data
  const [last] = told.filter(({ data, type }) => data.turn?.turn_id === turn.turn_id && type === `turn.${turn.state}`)
  expect(last?.data.turn?.outputs, "events and webhooks agree with the turn").toEqual(turn.outputs)
  expect(await filesOf(turn.turn_id)).toEqual([
    { name: "cat.png", state: "ready" },
    { name: "notes.txt", state: "deleted" },
  ])
  await expectPromises(world, client.userId)
}

describe("A billed picture is kept as an output, and an unpaid file is deleted", () => {
  test("The picture is kept when the turn is cancelled while it is made", async () => {
    serveImages(world, async ({ headers }) => {
      await cancelInTime(world, client, headers["idempotency-key"]?.split(".")[0] ?? "")
      return pictureAnswer(PICTURES.png)
    })
    const turn = await client.runTurn({ space, text: BOTH })
    expect(turn).toMatchObject({ state: "cancelled", status_reason: "client" })
    expect(await billedPictures(turn.turn_id)).toEqual([{ billed: PRICE }])
    await expectKept(turn)
  })

  test.each(["OUT_OF_STOCK", "MODEL_REJECTED"])(
    "The picture is kept when the turn fails as %s after it",
    async (code) => {
      serveImages(world)
      const turn = await client.runTurn({ space, text: `${BOTH}\n[fail ${code}]` })
      expect(turn).toMatchObject({ state: "failed", error: { code } })
      expect(await billedPictures(turn.turn_id)).toEqual([{ billed: PRICE }])
      await expectKept(turn)
    },
  )

  test("The picture is kept when the turn reaches its time limit after it", async () => {
    serveImages(world)
    serveCustomer(world, {
      async answer() {
        await world.advance(301_000)
        return Response.json({ late: true })
      },
    })
    const turn = await client.runTurn({ space, text: `${BOTH}\n[call lookup_order {"id":"1"}]\n[reply Too late.]` })
    expect(turn).toMatchObject({ state: "failed", error: { code: "TIMEOUT_REACHED" } })
    expect(await billedPictures(turn.turn_id)).toEqual([{ billed: PRICE }])
    await expectKept(turn)
  })
})

/** A turn whose worker made the picture and then died. `before` runs before the sweeper gives the turn up. */
async function lose(before?: (turnId: string) => Promise<unknown>): Promise<Turn> {
  serveImages(world)
  await world.plan([{ service: "pg", match: "settle_turn", call: 1, times: 99, action: "fail", when: "before" }])
  const text = `${BOTH}\n[steps 2]\n[reply There it is.]`
  const { turn_id } = await turnOf(await client.sendTurn({ space, text, timeout_seconds: 3600 }))
  await deliverWhileCommitsFail(world)
  await world.clearFaults()
  await before?.(turn_id)
  // A cancel publishes in the background, which would set a different time for the next look.
  await world.settled()
  await world.qstash.reset()
  await world.sql("update turns set attempts = 5, lease_until = null where turn_id = $1", [turn_id])
  await world.sql("update open_turns set wake_at = $2 where turn_id = $1", [turn_id, world.clock.now()])
  await world.sweep()
  return client.getTurn(turn_id)
}

test("A turn that is lost by us is free, and its picture is still an output", async () => {
  const turn = await lose()
  expect(turn).toMatchObject({ state: "failed", error: { code: "ENGINE_LOST" }, billed_cost_usd: 0, result: null })
  expect(await billedPictures(turn.turn_id)).toEqual([{ billed: 0 }])
  await expectKept(turn)
})

test("A turn that is lost after a cancel is billed, and keeps its picture and its earlier text", async () => {
  const turn = await lose((turnId) => cancelInTime(world, client, turnId))
  expect(turn).toMatchObject({ state: "cancelled", result: expect.stringMatching(/./) })
  expect(await billedPictures(turn.turn_id)).toEqual([{ billed: PRICE }])
  await expectKept(turn)
})

test("A picture of a failed web chat is an output and was billed", async () => {
  serveImages(world)
  const browser = await world.signIn(client.userId)
  const [, { space_id: own }] = await browser.json("POST", "/api/account/spaces", { title: "Mine", ...PAINTER })
  const [, { turn_id }] = await browser.json("POST", "/api/account/chat/turns", {
    space: own,
    text: `${PAINT}\n[fail OUT_OF_STOCK]`,
  })
  await world.drain()
  const [, turn] = await browser.json("GET", `/api/account/chat/turns/${turn_id}`)
  expect(turn).toMatchObject({ state: "failed", outputs: [{ name: "cat.png" }] })
  expect(await billedPictures(turn_id, "chat_calls")).toEqual([{ billed: PRICE }])
  await expectPromises(world, client.userId)
})

test("A failed test turn keeps its rehearsed picture, as a live turn would", async () => {
  const tester = await world.createAccount({ usd: 0, test: true })
  const text = `${PAINT}\n[fail OUT_OF_STOCK]`
  const turn = await tester.runTurn({ space: await tester.space(PAINTER), text })
  expect(turn).toMatchObject({ state: "failed", billed_cost_usd: 0, outputs: [{ name: "cat.png" }] })
})

describe("Outputs with the same name", () => {
  const answers = async (text: string, kinds: (keyof typeof PICTURES)[]) => {
    const left = [...kinds]
    serveImages(world, () => pictureAnswer(PICTURES[left.shift() ?? "png"]))
    const turn = await client.runTurn({ space, text })
    expect(turn.state, JSON.stringify(turn.error)).toBe("done")
    await expectPromises(world, client.userId)
    return turn
  }
  const names = ({ outputs }: Turn) => outputs.map(({ name }) => name).sort()

  test("Two pictures of one step with the same name are two outputs, and the agent learns both names", async () => {
    const turn = await answers(`${PAINT}\n[and call generate_image {"prompt":"b","name":"cat"}]`, ["png", "png"])
    expect(names(turn)).toEqual(["cat-2.png", "cat.png"])
    for (const name of names(turn)) expect(turn.result).toContain(`"name":"${name}"`)
    expect(await billedPictures(turn.turn_id)).toEqual([{ billed: PRICE }, { billed: PRICE }])
  })

  test("A picture of a later step replaces neither an earlier picture nor a written file", async () => {
    const write = '[call write_file {"name":"cat.png","content":"words"}]'
    const turn = await answers(`${write}\n${PAINT}\n${PAINT}`, ["png", "png"])
    expect(names(turn)).toEqual(["cat-2.png", "cat-3.png", "cat.png"])
  })

  test("A file that is written under a picture's name does not take the name from the picture", async () => {
    const write = '[call write_file {"name":"cat.png","content":"words"}]'
    const turn = await answers(`${PAINT}\n${write}\n${write}`, ["png"])
    expect(turn.outputs).toHaveLength(2)
    const picture = turn.outputs.find(({ name }) => name === "cat.png")
    expect(picture).toMatchObject({ media_type: "image/png", bytes: PICTURES.png.length })
    expect(names(turn)).toEqual(["cat-2.png", "cat.png"])
  })

  test("The last of several written files with one name is the output", async () => {
    const write = (content: string) => `[call write_file {"name":"a.txt","content":"${content}"}]`
    const turn = await answers(`${write("first")}\n${write("second one")}`, [])
    expect(turn.outputs).toMatchObject([{ name: "a.txt", bytes: 10 }])
  })
})
