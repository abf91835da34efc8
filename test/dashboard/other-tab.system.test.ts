import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

/** The lists of an account in which one of the changes would show. */
const LISTS = [
  "/api/account/me",
  "/api/account/keys",
  "/api/account/spaces",
  "/api/account/webhooks",
  "/api/account/end-users",
  "/api/account/limits",
  "/api/account/prices",
  "/api/account/ledger",
  "/api/account/turns",
  "/api/account/usage-keys",
]

describe.skipIf(!hasBrowser)("Two users in two tabs of one browser", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  /** Signs in as another user in a second tab. */
  async function signInTab(context: BrowserContext, name: string): Promise<Page> {
    const tab = await context.newPage()
    await tab.goto(`${app.service.sign_in_url}?as=${encodeURIComponent(name)}`)
    await tab.getByRole("button", { name: "Sign in" }).click()
    await tab.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
    return tab
  }

  const overlay = (page: Page) => page.getByRole("dialog", { name: "This page belongs to another user" })

  /** All lists of the account that is signed in, without the times of reads. */
  async function stateOf({ context, origin }: Person): Promise<Record<string, string>> {
    const answers = await Promise.all(LISTS.map((path) => context.request.get(origin + path)))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map((answer) => answer.status())).toEqual(LISTS.map(() => 200))
    return Object.fromEntries(LISTS.map((path, at) => [path, texts[at] ?? ""]))
  }

  test("A page says at once that another user has signed in, and a reload shows that user's page", async () => {
    const { page, context, origin } = await app.signIn()
    await page.goto(`${origin}/keys`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    const tab = await signInTab(context, "Barbara")
    await overlay(page).getByText("You are signed in as Barbara in another tab. Reload.").waitFor()
    await overlay(page).getByRole("button", { name: "Reload" }).click()
    await page
      .getByTitle("barbara", { exact: false })
      .or(page.getByText("Barbara", { exact: true }))
      .first()
      .waitFor()
    expect(await overlay(page).count()).toBe(0)
    await tab.getByRole("button", { name: "Sign out" }).first().click()
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor()
  })

  test("Twelve kinds of change on the page of one user write nothing to another account, even if tabs cannot tell each other", async () => {
    const person = await app.signIn()
    const { page, context, origin, api } = person
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, "BroadcastChannel"))
    const { items: spaces } = await api("GET", "/api/account/spaces?q=Demo")
    const space = `/api/account/spaces/${spaces[0].space_id}`
    const { manifest } = await api("GET", space)
    const sent = page.waitForRequest((request) => request.headers()["x-turnpike-user"] !== undefined)
    await page.goto(`${origin}/keys`)
    const header = (await sent).headers()["x-turnpike-user"] ?? ""
    await page
      .getByRole("button", { name: /^Create (a|another) key$/ })
      .first()
      .click()
    await page.getByLabel("Name").fill("wrong")
    const tab = await signInTab(context, "Barbara")
    const before = await stateOf(person)

    const changes: [method: string, path: string, body?: object][] = [
      ["POST", "/api/account/keys", { name: "wrong", scope: "all" }],
      ["POST", "/api/account/spaces", { title: "wrong" }],
      ["PUT", `${space}/manifest`, manifest ?? { instructions: "wrong" }],
      ["PUT", `${space}/secrets/WRONG`, { value: "wrong" }],
      ["POST", "/api/account/webhooks", { url: "https://hooks.example.com/wrong", events: ["turn.done"] }],
      ["PUT", "/api/account/end-users/wrong/limits", { daily_usd: 1, monthly_usd: null, blocked: true }],
      ["POST", "/api/account/end-users/wrong/credits", { amount_usd: 1 }],
      ["PUT", "/api/account/prices/wrong", { multiplier: 2 }],
      ["PUT", "/api/account/limits", { low_balance_usd: 3 }],
      ["PUT", "/api/account/usage-keys", { keys: ["wrong"] }],
      ["POST", "/api/account/chat/turns", { space: spaces[0].space_id, text: "wrong" }],
      ["POST", "/api/auth/logout"],
    ]
    const answers = await page.evaluate(
      async ({ changes, header }) => {
        const all: [status: number, code: string][] = []
        for (const [method, path, body] of changes) {
          const headers = {
            "content-type": "application/json",
            "idempotency-key": crypto.randomUUID(),
            "x-turnpike-user": header,
          }
          const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
          all.push([response.status, ((await response.json()) as { code: string }).code])
        }
        return all
      },
      { changes, header },
    )
    expect(answers).toEqual(changes.map(() => [409, "SIGNED_IN_AS_OTHER"]))

    // The same with the page's own button. A read may have shown the refusal already, so the click is a script's.
    const answered = page.waitForResponse((response) => response.request().method() === "POST")
    await page
      .getByText("Create the key", { exact: true })
      .evaluate((button) => (button as unknown as { click(): void }).click())
    expect((await answered).status()).toBe(409)
    await overlay(page).getByText("You are signed in as Barbara in another tab. Nothing was done. Reload.").waitFor()
    expect(await stateOf(person)).toEqual(before)
    await overlay(page).getByRole("button", { name: "Reload" }).click()
    await page.getByText("Barbara", { exact: true }).first().waitFor()
    expect(await page.getByLabel("Name").inputValue(), "the other user does not see what was typed").toBe("")
    await tab.reload()
    await tab.getByRole("heading", { level: 1, name: "Home" }).waitFor()
  })

  test("An operator who acts as a user in one tab does not read or change that account from a page of their own", async () => {
    const { page, context, origin, api } = await app.signIn("Admin")
    await page.goto(`${origin}/keys`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    const { items } = await api("GET", "/api/admin/users?q=Barbara")
    const tab = await context.newPage()
    await tab.goto(`${origin}/operator/users/${items[0].user_id}`)
    await tab.getByRole("button", { name: "Act as" }).click()
    await tab.getByRole("button", { name: "Act as" }).last().click()
    await tab.getByText("You are viewing the account of").waitFor()
    await overlay(page).getByText("You are viewing the account of Barbara in another tab. Reload.").waitFor()
    await tab.getByRole("button", { name: "Stop viewing" }).click()
    await tab.getByRole("heading", { level: 1, name: "Barbara" }).waitFor()
    await overlay(page).waitFor({ state: "detached" })
  })
})
