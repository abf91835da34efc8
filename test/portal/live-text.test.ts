import { afterAll, beforeAll, expect, test } from "vitest"
import { createPortalBrowser, makePortal, portalJson, portalRefusalOf } from "../harness/portal.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let browser: ReturnType<typeof createPortalBrowser>
beforeAll(async () => {
  world = await createWorld()
  browser = createPortalBrowser(world)
})
afterAll(() => world.close())

test("A turn that is not over has a stream for its end user, and only for them", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const response = await client.sendTurn({ space, text: "[reply Soon.]", end_user_ref: "ada" })
  const { turn_id } = await response.json<{ turn_id: string }>()
  const ada = await browser.open(await makePortal(client, "ada"))
  const { url } = await portalJson(await ada.watch(turn_id))
  await world.drain()
  const { data } = await portalJson(await browser.ask(url))
  expect(data.at(-1)).toMatchObject({ type: "turn.done", data: { result: "Soon." } })
  const bob = await browser.open(await makePortal(client, "bob"))
  expect(await portalRefusalOf(await bob.watch(turn_id))).toEqual([404, "NOT_FOUND"])
  const limits = await browser.open(await makePortal(client, "ada", { scopes: ["limits"] }))
  expect(await portalRefusalOf(await limits.watch(turn_id))).toEqual([403, "SCOPE_DENIED"])
})
