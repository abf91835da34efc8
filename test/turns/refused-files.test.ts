import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createFileClient } from "../harness/files.ts"
import { expectPromises } from "../harness/promises.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import { waiter } from "../harness/waiting.ts"
import type { TestClient } from "../harness/world.ts"

const PNG = new Uint8Array([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 9, 0, 0, 0, 9,
])

let world: RoutedWorld
let client: TestClient
let space: string
let files: string[]
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
  const uploads = createFileClient(world, client)
  const add = (name: string) => uploads.add(space, `?name=${name}`, PNG, { "content-type": "image/png" })
  files = (await Promise.all(["one.png", "two.png", "three.png"].map(add))).map(({ file_id }) => file_id)
})
beforeEach(() => resetAccounts(world, ["a"]))
afterAll(() => world.close())

/** A provider that refuses requests as `refuses` says, by the number of shown images. Returns these numbers. */
function serve(refuses: (images: number, body: string) => string | null) {
  const shown: number[] = []
  world.script(() => {
    const body = JSON.stringify(world.provider.asks.at(-1)?.messages)
    const images = body.split("data:image/png;base64").length - 1
    shown.push(images)
    const message = refuses(images, body)
    return message === null ? { words: ["Seen."] } : { status: 400, message }
  })
  return shown
}

const adjusted = async (turnId: string) =>
  (await waiter(client).events(turnId)).filter(({ type }) => type === "request.adjusted").map(({ data }) => data)

test("A model that takes one image gets the newest, the others are named, and later turns send no more", async () => {
  const refuses = (images: number) => (images > 1 ? "At most 1 image(s) may be provided in one prompt." : null)
  const shown = serve(refuses)
  const turn = await world.runTurn(client, { space, files, conversation: "first" })
  expect(turn).toMatchObject({ state: "done", result: "Seen." })
  expect(shown).toEqual([3, 1])
  expect(await adjusted(turn.turn_id)).toEqual([{ step: 0, files: 2 }])
  expect(await world.runTurn(client, { space, files, conversation: "second" })).toMatchObject({ state: "done" })
  expect(shown).toEqual([3, 1, 1])
  await world.sql("update model_catalog set learned = '{}'")
  await expectPromises(world, client.userId)
})

test("If the provider names one of three files, only that one is left out", async () => {
  const shown = serve((images) => (images > 2 ? "Could not process image two.png: unsupported format." : null))
  const turn = await world.runTurn(client, { space, files, conversation: "third" })
  expect(turn).toMatchObject({ state: "done" })
  expect(shown).toEqual([3, 2])
  expect(await adjusted(turn.turn_id)).toEqual([{ step: 0, files: 1 }])
})

test("A turn whose files are refused in every form fails with FILE_REJECTED and the file that the provider names", async () => {
  const shown = serve(() => "Could not process image two.png: unsupported format.")
  const turn = await world.runTurn(client, { space, files, conversation: "fourth" })
  expect(turn).toMatchObject({
    state: "failed",
    billed_cost_usd: 0,
    error: { code: "FILE_REJECTED", details: { status: 400, file: "two.png" } },
  })
  expect(shown.at(0)).toBe(3)
  await expectPromises(world, client.userId)
})
