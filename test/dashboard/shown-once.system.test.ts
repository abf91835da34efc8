import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { codeOf } from "../harness/second-factor.ts"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

/** Longer than three polls of the page that polls most. */
const POLLS_MS = 10_000

describe.skipIf(!hasBrowser)("A value that is shown only once", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  const saved = (page: Page) => page.getByRole("button", { name: "I have saved it" })

  /** Lets the page poll for ten seconds of its own clock, and waits for the answers. */
  async function passPolls(page: Page): Promise<void> {
    for (let passed = 0; passed < POLLS_MS; passed += 1_000) {
      await page.clock.runFor(1_000)
      await page.waitForLoadState("networkidle")
    }
  }

  /** An event, polls, another page, the end of the session and a reload that the user refuses: it stays. */
  async function staysOpen({ page, context, api }: Person, title: RegExp): Promise<string> {
    const dialog = page.getByRole("alertdialog", { name: title })
    await dialog.waitFor()
    const shown = await dialog.getByRole("region", { name: "The secret" }).innerText()
    const isShown = async () => expect(await dialog.getByRole("region", { name: "The secret" }).innerText()).toBe(shown)
    await passPolls(page)
    await isShown()
    await api("POST", "/api/account/keys", { name: `Event ${Date.now()}`, scope: "created", test: true })
    await passPolls(page)
    await isShown()
    for (const _ of [1, 2, 3]) await page.keyboard.press("Escape")
    await isShown()
    await page.evaluate("history.pushState(null, '', '/turns'); dispatchEvent(new PopStateEvent('popstate'))")
    await page.locator("h1", { hasText: "Turns" }).waitFor()
    await passPolls(page)
    await isShown()
    const cookies = await context.cookies()
    await context.clearCookies()
    await passPolls(page)
    await isShown()
    expect(await page.getByRole("dialog", { name: "Your session has ended" }).count()).toBe(0)
    expect(await page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")).toBe(true)
    await context.addCookies(cookies)
    await saved(page).click()
    await dialog.waitFor({ state: "detached" })
    expect(await page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")).toBe(true)
    return shown
  }

  async function open(name: string | undefined, path: string): Promise<Person> {
    const person = await app.signIn(name)
    await person.page.clock.install()
    await person.page.goto(person.origin + path)
    return person
  }

  /** Picks an entry of the menu of the page's object. */
  async function act(page: Page, object: string, item: string): Promise<void> {
    await page.getByRole("button", { name: `Actions of the ${object}` }).click()
    await page.getByRole("menuitem", { name: item, exact: true }).click()
  }

  async function createKey(page: Page, name: string): Promise<void> {
    await page
      .getByRole("button", { name: /^Create (a|another) key$/ })
      .first()
      .click()
    await page.getByLabel("Name", { exact: true }).fill(name)
    await page.getByRole("button", { name: "Create the key" }).click()
  }

  async function createWebhook(page: Page, url: string): Promise<void> {
    await page
      .getByRole("button", { name: /^Create (a|another) webhook$/ })
      .first()
      .click()
    await page.getByRole("textbox", { name: "URL" }).fill(url)
    await page.getByRole("button", { name: "Create the webhook" }).click()
  }

  test("The key of the first steps", async () => {
    const person = await open("Grace", "/home?test=true")
    await createKey(person.page, "First")
    expect(await staysOpen(person, /^The key First is created/)).toMatch(/^turnpike_test_/)
    await person.context.close()
  })

  test("The signing secret of the first steps", async () => {
    const person = await open(undefined, "/home")
    await createWebhook(person.page, "http://127.0.0.1:9/first")
    expect(await staysOpen(person, /^The signing secret of/)).toMatch(/^whsec_/)
    await person.context.close()
  })

  test("A signing secret appears before the first ping is sent, and badge, steps and Home follow a test event at once", async () => {
    let pings = 0
    const receiver = createServer((request, response) => {
      request.resume()
      pings++
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/first`
    const person = await app.signIn(undefined)
    const { page } = person
    const steps = page.getByRole("region", { name: "First steps" })
    try {
      await createWebhook(page, url)
      await page.getByRole("alertdialog", { name: `The signing secret of ${url}` }).waitFor()
      await saved(page).click()
      await steps.getByRole("link", { name: url }).waitFor()
      await steps.getByText("has not answered a test event yet").waitFor()
      const [webhook] = (await person.api("GET", "/api/account/webhooks")).items
      expect(webhook).toMatchObject({ url, state: "pending" })
      const deliveries = await person.api("GET", `/api/account/webhooks/${webhook.webhook_id}/deliveries`)
      expect([deliveries.total, pings]).toEqual([0, 0])
      await steps.getByRole("button", { name: "Send a test event" }).click()
      await steps.getByText("204").waitFor()
      await steps.getByText("has not answered a test event yet").waitFor({ state: "detached" })
      await steps.getByText("enabled").waitFor()
      await steps.getByRole("button", { name: "Receive events with a webhook (done)" }).waitFor()
      expect(await page.getByText("does not accept its events").count()).toBe(0)
    } finally {
      receiver.closeAllConnections()
      receiver.close()
      await person.context.close()
    }
  })

  test("The recovery codes of a second factor", async () => {
    const person = await open("Grace", "/account")
    const { page } = person
    const begun = page.waitForResponse(
      (response) =>
        response.url().endsWith("/api/account/second-factor") &&
        response.request().method() === "POST" &&
        response.ok(),
    )
    await page.getByRole("button", { name: "Set up a second factor" }).click()
    const { uri } = (await (await begun).json()) as { uri: string }
    await page.getByLabel("Code", { exact: true }).fill(codeOf(uri, new Date()))
    await page.getByRole("button", { name: "Confirm" }).click()
    const codes = await staysOpen(person, /^The second factor is set up/)
    expect(codes.split("\n").length).toBeGreaterThan(5)
    await person.context.close()
  })

  test("A key and its next value", async () => {
    const person = await open(undefined, "/keys")
    const { page } = person
    await createKey(page, "Server of values")
    await staysOpen(person, /^The key Server of values is created/)
    await page.goto(`${person.origin}/keys`)
    await page.getByRole("link", { name: "Server of values" }).click()
    await page.locator("h1", { hasText: "Server of values" }).waitFor()
    await act(page, "key Server of values", "Rotate")
    await page.getByRole("button", { name: "Rotate key" }).click()
    await staysOpen(person, /^The key Server of values has a new value/)
    await person.context.close()
  })

  test("A signing secret and the next one", async () => {
    const person = await open(undefined, "/webhooks")
    const { page } = person
    await createWebhook(page, "http://127.0.0.1:9/values")
    await staysOpen(person, /^The signing secret of/)
    await page.goto(`${person.origin}/webhooks`)
    await page.getByRole("link", { name: "http://127.0.0.1:9/values" }).click()
    await page.locator("h1", { hasText: "http://127.0.0.1:9/values" }).waitFor()
    await act(page, "webhook http://127.0.0.1:9/values", "Rotate the secret")
    await page.getByRole("button", { name: "Rotate secret" }).click()
    await staysOpen(person, /^The new signing secret of/)
    await person.context.close()
  })

  test("A value whose form is gone when the answer comes waits for the value before it", async () => {
    const person = await open(undefined, "/keys")
    const { page } = person
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route("**/api/account/keys", async (route) => {
      if (route.request().method() !== "POST") return route.fallback()
      const answer = await route.fetch()
      await released
      await route.fulfill({ response: answer })
    })
    await createKey(page, "Late")
    await page.evaluate("history.pushState(null, '', '/webhooks'); dispatchEvent(new PopStateEvent('popstate'))")
    await page.locator("h1", { hasText: "Webhooks" }).waitFor()
    await createWebhook(page, "http://127.0.0.1:9/before")
    await page.getByRole("alertdialog", { name: /^The signing secret of/ }).waitFor()
    release()
    await page.getByText("1 more to save").waitFor()
    await saved(page).click()
    await page.getByRole("alertdialog", { name: "The key Late is created" }).waitFor()
    await saved(page).click()
    await saved(page).waitFor({ state: "detached" })
    await person.context.close()
  })
})
