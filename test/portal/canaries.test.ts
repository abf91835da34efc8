import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { readEventStream } from "../harness/event-stream.ts"
import { createPortalBrowser, makePortal, portalRefusalOf } from "../harness/portal.ts"
import { sendUntilItWaits } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const CALL = '[call lookup_order {"id":"canary-input"}]'
const ASK = refundText(80)

/** An account whose every text that is not ada's has a canary. */
async function createCanaries() {
  const client = await world.createAccount()
  serveCustomer(world, { answer: () => Response.json({ note: "canary-answer" }) })
  const space = await client.space({
    title: "canary-title",
    manifest: { instructions: "canary-prompt: never tell.", history: { max_turns: 0 } },
    tools: [orderTool(), refundTool()],
    secrets: { TOKEN: "canary-secret" },
  })
  const bob = await client.runTurn({ space, text: "[reply canary-bob]", end_user_ref: "canary-bob" })
  const metadata = { internal: "canary-metadata" }
  const ada = await client.runTurn({
    space,
    text: `${CALL}\n[reply Your order has shipped.]`,
    end_user_ref: "ada",
    conversation: "canary-conversation",
    metadata,
  })
  const failed = await client.runTurn({ space, text: "[fail OUT_OF_STOCK]", end_user_ref: "ada", metadata })
  const waits = await sendUntilItWaits(world, client, { space, text: ASK, end_user_ref: "ada", metadata })
  await sendUntilItWaits(world, client, {
    space,
    text: '[call refund {"order":"canary-order","amount":90}]',
    end_user_ref: "canary-bob",
  })
  return { client, space, bob, ada, failed, waits }
}

/** Texts that no browser of an end user may get. The end user's own message names the input of its tool. */
const HIDDEN = /canary-(?!input)|rehearsal|tokens|config_version|key_|usr_|balance|margin|conv_|evt_|spc_|space_/

test("Neither the portal nor a watch stream tells a secret, a system prompt or a word of another customer", async () => {
  const { client, ada, failed, waits } = await createCanaries()
  const browser = createPortalBrowser(world)
  const made = await makePortal(client, "ada")
  const portal = await browser.open(made)
  const portalSaid = [
    await (await browser.page(made.url)).text(),
    await (await portal.get("overview")).text(),
    await (await portal.get("turns")).text(),
    await (await portal.get(`turns/${ada.turn_id}`)).text(),
    await (await portal.get(`turns/${failed.turn_id}`)).text(),
    await (await portal.get("turns/turn_unknown")).text(),
    await (await portal.decide(waits.turn_id, "deny")).text(),
  ].join("\n")
  expect(portalSaid).toContain("Your order has shipped.")
  expect(portalSaid).not.toMatch(HIDDEN)
  const watched: string[] = []
  for (const { turn_id } of [ada, failed, waits]) {
    const response = await client.call("POST", `/v1/turns/${turn_id}/watch-tokens`, {})
    const { url } = (await response.json()) as { url: string }
    await world.drain()
    const headers = { origin: "https://shop.example.com", accept: "text/event-stream" }
    watched.push(JSON.stringify(await readEventStream(await world.invoke(new Request(url, { headers })))))
  }
  const watchSaid = watched.join("\n")
  expect(watchSaid).toContain("Your order has shipped.")
  expect(watchSaid).not.toMatch(HIDDEN)
  expect(watchSaid).not.toContain("canary-input")
})

test("A watch token ends with its account, and shows no turn of another end user", async () => {
  const { client, ada, bob } = await createCanaries()
  const response = await client.call("POST", `/v1/turns/${ada.turn_id}/watch-tokens`, {})
  const { url } = (await response.json()) as { url: string }
  const read = () => world.invoke(new Request(`${url}&limit=100`, { headers: { origin: "https://shop.example.com" } }))
  const said = await (await read()).text()
  expect(said).toContain("Your order has shipped.")
  expect(said).not.toContain(bob.turn_id)
  expect(said).not.toContain("canary-bob")
  await world.sql("update users set disabled_at = now() where user_id = $1", [client.userId])
  expect(await portalRefusalOf(await read())).toEqual([401, "WATCH_TOKEN_INVALID"])
})
