import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, idempotencyKeysOf, loseAnswer, startWebApp, type WebApp } from "../harness/web-app.ts"

const CHAT = "/api/account/chat/turns"

describe.skipIf(!hasBrowser)("A form of the web app", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test.each([
    ["in the same form", false],
    ["after a reload", true],
  ])("A turn whose answer was lost is the only one after a second Send %s", async (when, reloads) => {
    const { page, origin, api } = await app.signIn()
    const text = `Is this turn billed twice ${when}?`
    const keys = idempotencyKeysOf(page, `POST ${CHAT}`)
    await page.goto(`${origin}/playground`)
    await page.getByLabel("Text", { exact: true }).fill(text)
    await loseAnswer(page, `POST ${CHAT}`)
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("The service does not answer").waitFor()
    if (reloads) await page.reload()
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByRole("article").getByText(`You said: ${text}`).waitFor()
    const { items } = await api("GET", `${CHAT}?limit=200`)
    expect(items.filter((turn: { text: string }) => turn.text === text)).toHaveLength(1)
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  test("The same text as a new turn is a second turn", async () => {
    const { page, origin, api } = await app.signIn()
    const text = "Twice on purpose"
    await page.goto(`${origin}/playground`)
    for (const count of [1, 2]) {
      await page.getByLabel("Text", { exact: true }).fill(text)
      await page.getByRole("button", { name: "Send", exact: true }).click()
      await expect.poll(() => page.getByText(`You said: ${text}`).count()).toBe(count)
    }
    const { items } = await api("GET", `${CHAT}?limit=200`)
    expect(items.filter((turn: { text: string }) => turn.text === text)).toHaveLength(2)
  })

  test.each([
    ["Spaces", "Create a space", "Title", "Create the space", "spaces", "title"],
    ["API keys", "Create a key", "Name", "Create the key", "keys", "name"],
  ])("Two clicks on the page %s create one object", async (heading, open, label, submit, list, field) => {
    const { page, origin, api } = await app.signIn()
    await page.goto(`${origin}/${list}`)
    await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    await page.getByRole("button", { name: open }).first().click()
    await page.getByLabel(label, { exact: true }).fill("Clicked twice")
    // Both clicks arrive before the page can draw the busy button.
    await page.getByRole("button", { name: submit }).evaluate((button) => {
      ;(button as unknown as { click(): void }).click()
      ;(button as unknown as { click(): void }).click()
    })
    await page.getByText("Clicked twice").or(page.getByText("I have saved it")).first().waitFor()
    const { items } = await api("GET", `/api/account/${list}?limit=200`)
    expect(items.filter((item: Record<string, string>) => item[field] === "Clicked twice")).toHaveLength(1)
  })

  test("An API key whose answer was lost is shown by the second attempt, and is the only one", async () => {
    const { page, origin, api } = await app.signIn()
    await page.goto(`${origin}/keys`)
    await page.getByRole("button", { name: "Create a key" }).first().click()
    await page.getByLabel("Name", { exact: true }).fill("Lost answer")
    await page.getByLabel("Expires").selectOption("In 30 days")
    await loseAnswer(page, "POST /api/account/keys")
    await page.getByRole("button", { name: "Create the key" }).click()
    await page.getByText("The service does not answer").waitFor()
    await page.getByRole("button", { name: "Create the key" }).click()
    const shown = page.getByRole("alertdialog", { name: "The key Lost answer is created" })
    const value = await shown.locator("code").first().innerText()
    const { items } = await api("GET", "/api/account/keys?limit=200")
    expect(items.filter(({ name }: { name: string }) => name === "Lost answer")).toHaveLength(1)
    const answer = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${value}` } })
    const { key } = (await answer.json()) as { key: { name: string } }
    expect([answer.status, key.name]).toEqual([200, "Lost answer"])
  })

  test("Offline, Send says that nothing was sent, and nothing is sent later", async () => {
    const { page, context, origin, api } = await app.signIn()
    const text = "Sent by itself?"
    await page.goto(`${origin}/playground`)
    await page.getByLabel("Text", { exact: true }).fill(text)
    await context.setOffline(true)
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("You are offline. Nothing was sent.").waitFor()
    await context.setOffline(false)
    // A change after the connection is back passes everything that waited for it.
    await page.getByRole("button", { name: "Estimate" }).click()
    await page.getByText("The turn would be accepted").waitFor()
    const { items } = await api("GET", `${CHAT}?limit=200`)
    expect(items.filter((turn: { text: string }) => turn.text === text)).toEqual([])
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(text)
  })

  test("A request without an answer ends with an error instead of an endless skeleton", async () => {
    const { page, origin } = await app.signIn()
    await page.clock.install()
    await page.route("**/api/account/spaces?*", () => {})
    await page.goto(`${origin}/spaces`)
    await page.getByRole("heading", { level: 1, name: "Spaces" }).waitFor()
    await expect
      .poll(async () => {
        await page.clock.fastForward(31_000)
        return page.getByText("The service did not answer within 30 seconds.").count()
      })
      .toBeGreaterThan(0)
  })
})
