import { afterAll, beforeAll, expect, test } from "vitest"
import { createPortalBrowser, makePortal } from "../harness/portal.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let browser: ReturnType<typeof createPortalBrowser>
beforeAll(async () => {
  world = await createWorld()
  browser = createPortalBrowser(world)
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
const json = async (response: Response): Promise<any> => {
  expect(response.status).toBe(200)
  return response.json()
}

test("An end user with a price sees its charges, and nothing that tells what the owner pays", async () => {
  const { client, putPrice, bill, spend } = await createSeller(world)
  await putPrice("triple", { multiplier: 3 })
  await bill("ada", { price: "triple", prepaid: false })
  await client.call("PUT", "/v1/end-users/ada/limits", { daily_usd: 1 })
  await spend("ada", 0.25)
  const ada = await browser.open(await makePortal(client, "ada", { scopes: ["usage", "turns", "limits"] }))
  const overview = await json(await ada.get("overview"))
  const { data } = await json(await ada.get("turns"))
  expect(overview.usage).toMatchObject({ today_usd: 0.75, month_usd: 0.75 })
  expect(data).toMatchObject([{ charged_usd: 0.75 }])
  expect(overview.limits.limits).toMatchObject([{ period: "day", limit_usd: null, left_usd: null, left_share: 0.75 }])
  const turn = await json(await ada.get(`turns/${data[0].turn_id}`))
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
  const { wallet, ...rest } = await json(await ada.get("overview"))
  expect(rest).toEqual({ usage: null, limits: null, approvals: null })
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
  expect((await json(await bob.get("overview"))).wallet).toBe("none")
})

test("A key that cannot read a wallet cannot grant it", async () => {
  const client = await world.createAccount()
  const path = "/v1/end-users/ada/portal-sessions"
  const refused = await client.call("POST", path, { scopes: ["usage", "wallet"] })
  expect(refused.status).toBe(403)
  expect(((await refused.json()) as { error: { code: string } }).error.code).toBe("SCOPE_DENIED")
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  expect((await world.createClient(client.userId, value).call("POST", path, { scopes: ["wallet"] })).status).toBe(201)
})
