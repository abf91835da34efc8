import { afterAll, beforeAll, expect, test } from "vitest"
import { ownerClientOf } from "../harness/estate.ts"
import { createPortalBrowser, makePortal, portalJson, portalRefusalOf } from "../harness/portal.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let browser: ReturnType<typeof createPortalBrowser>
beforeAll(async () => {
  world = await createWorld()
  browser = createPortalBrowser(world)
})
afterAll(() => world.close())

test("An end user with a price sees its charges, and nothing that tells what the owner pays", async () => {
  const { client, putPrice, bill, spend } = await createSeller(world)
  await putPrice("triple", { multiplier: 3 })
  await bill("ada", { price: "triple", prepaid: false })
  await client.call("PUT", "/v1/end-users/ada/limits", { daily_usd: 1 })
  await spend("ada", 0.25)
  const ada = await browser.open(await makePortal(client, "ada", { scopes: ["usage", "turns", "limits"] }))
  const overview = await portalJson(await ada.get("overview"))
  const { data } = await portalJson(await ada.get("turns"))
  expect(overview.usage).toMatchObject({ today_usd: 0.75, month_usd: 0.75 })
  expect(data).toMatchObject([{ charged_usd: 0.75 }])
  expect(overview.limits.limits).toMatchObject([{ period: "day", limit_usd: null, left_usd: null, left_share: 0.75 }])
  const turn = await portalJson(await ada.get(`turns/${data[0].turn_id}`))
  const said = JSON.stringify([overview.usage, data, turn])
  expect(said).not.toContain("0.25")
  expect(said).not.toMatch(/billed|cost|margin|triple|multiplier/)
})

test("An end user with a wallet sees the credit that is left and the entries, without the owner's notes", async () => {
  const { client, credit, spend, send } = await createSeller(world)
  await credit("ada", 5, "order-1", { note: "canary-note" })
  await spend("ada", 0.25)
  const { body: open } = await send("ada", 0.5)
  const ada = await browser.open(await makePortal(client, "ada", { scopes: ["wallet"] }))
  const { wallet, ...rest } = await portalJson(await ada.get("overview"))
  expect(rest).toEqual({ usage: null, limits: null, approvals: null, profile: null })
  expect(wallet).toMatchObject({
    balance_usd: 4.75,
    held_usd: 0.5,
    available_usd: 4.25,
    entries: [
      { reason: "usage", amount_usd: -0.25 },
      { reason: "credit", amount_usd: 5 },
    ],
  })
  const said = JSON.stringify(wallet)
  for (const hidden of ["canary", open.turn_id, "turn_", "key_", "99", "100"]) expect(said).not.toContain(hidden)
  await world.drain()
  const bob = await browser.open(await makePortal(client, "bob", { scopes: ["wallet"] }))
  expect((await portalJson(await bob.get("overview"))).wallet).toBe("none")
})

test("A key that cannot read a wallet cannot grant it", async () => {
  const client = await world.createAccount()
  const path = "/v1/end-users/ada/portal-sessions"
  const refused = await client.call("POST", path, { scopes: ["usage", "wallet"] })
  expect(await portalRefusalOf(refused)).toEqual([403, "SCOPE_DENIED"])
  const owner = await ownerClientOf(world, client)
  expect((await owner.call("POST", path, { scopes: ["wallet"] })).status).toBe(201)
})
