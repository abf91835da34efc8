import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "../../scripts/browser.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { hasBrowser } from "../harness/web-app.ts"

const TEXT = "[use input=10 output=20]\nWhere is order 4711?"

describe.skipIf(!hasBrowser)("The customers and the explorer in a browser", () => {
  let service: Started
  let browser: Browser

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([npmStart(), launchChromium()])
  })

  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  async function signedIn(name: string): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    await page.goto(`${service.sign_in_url}?as=${name}`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
    return page
  }

  const v1 = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(service.base_url + path, {
      method,
      headers: { authorization: `Bearer ${service.api_key}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })

  /** A turn of a customer that has ended. */
  async function endedTurn(end_user_ref: string) {
    const spaces = (await (await v1("GET", "/v1/spaces?limit=1")).json()) as { data: { space_id: string }[] }
    const space = spaces.data[0]?.space_id ?? ""
    const sent = await v1("POST", "/v1/turns", { space, end_user_ref, text: TEXT }, { "idempotency-key": end_user_ref })
    const { turn_id } = (await sent.json()) as Turn
    const ended = (await (await v1("GET", `/v1/turns/${turn_id}?wait=30`)).json()) as Turn
    expect(ended.state).toBe("done")
    return { turn: ended, request: sent.headers.get("x-request-id") ?? "" }
  }

  /** Opens what Ctrl K finds for a text. */
  async function goTo(page: Page, text: string, option: RegExp) {
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill(text)
    await page.getByRole("option").filter({ hasText: option }).first().click()
  }

  test("The id of a request leads to its turn, whose text and model open in the playground", async () => {
    const { turn, request } = await endedTurn("customer-of-a-request")
    const page = await signedIn("Demo")
    await goTo(page, request, /^turn_/)
    await page.waitForURL((url) => url.pathname === `/turns/${turn.turn_id}`)
    await page.getByRole("region", { name: "Timeline" }).getByText(turn.model).waitFor()
    await page.getByRole("link", { name: "Open in playground" }).click()
    await expect.poll(() => page.getByRole("textbox", { name: "Text" }).inputValue()).toBe(TEXT)
    expect(new URL(page.url()).searchParams.get("model")).toBe(turn.model)
    expect(new URL(page.url()).searchParams.get("space")).toBe(turn.space)
    await page.context().close()
  })

  test("A part of a customer's name leads to the customer, and the list of customers sorts by a click", async () => {
    await endedTurn("acme-berlin")
    const page = await signedIn("Demo")
    await goTo(page, "acme-ber", /^acme-berlin/)
    await page.getByRole("heading", { level: 1, name: "acme-berlin" }).waitFor()
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "End users" }).click()
    const table = page.getByRole("table", { name: "End users with their spend" })
    await table.getByRole("link", { name: "acme-berlin" }).waitFor()
    const header = table.getByRole("columnheader", { name: "All time" })
    await header.getByRole("button").click()
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending")
    await header.getByRole("button").click()
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("ascending")
    expect(new URL(page.url()).search).toBe("?sort=all_time&direction=asc")
    const file = page.waitForEvent("download")
    await page.getByRole("link", { name: "CSV" }).click()
    expect((await file).suggestedFilename()).toBe("customers.csv")
    await page.context().close()
  })

  test("A list keeps columns and views, and single keys move through it, choose rows and open one", async () => {
    await endedTurn("customer-of-keys")
    const page = await signedIn("Demo")
    await page.goto(`${new URL(page.url()).origin}/turns`)
    const table = page.getByRole("table", { name: "Turns", exact: true })
    const key = table.getByRole("columnheader", { name: "API key" })
    const model = table.getByRole("columnheader", { name: "Model" })
    await model.waitFor()
    expect(await key.count()).toBe(0)
    await page.getByRole("button", { name: "Display: Turns" }).click()
    await page.getByRole("menuitemcheckbox", { name: "API key" }).click()
    await page.getByRole("menuitemcheckbox", { name: "Model" }).click()
    await page.keyboard.press("Escape")
    await page.reload()
    await key.waitFor()
    expect(await model.count()).toBe(0)
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    await page.getByText("1 chosen").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    // Keys act on the list only while no dialog is open.
    await page.keyboard.press("x")
    await page.keyboard.press("Escape")
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" })
    await page.getByText("1 chosen").waitFor()
    const box = page.getByRole("searchbox").first()
    await box.fill("jx")
    expect(await box.inputValue()).toBe("jx")
    await box.fill("")
    const created = table.getByRole("columnheader", { name: /^Created/ })
    expect(await created.innerText()).toBe("Created (UTC)")
    await page.getByRole("button", { name: "Times are UTC (show local times)" }).first().click()
    await expect.poll(() => created.innerText()).toBe("Created (local)")
    await page.goto(`${new URL(page.url()).origin}/turns?state=done&range=7d`)
    await page.getByRole("button", { name: "Views", exact: true }).click()
    await page.getByRole("menuitem", { name: "Save this view" }).click()
    await page.getByRole("alertdialog").getByLabel("Title").fill("Done this week")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Views: Done this week" }).waitFor()
    await page.getByRole("button", { name: "Remove the filter State" }).click()
    await page.getByRole("button", { name: "Views", exact: true }).click()
    await page.getByRole("menuitem", { name: "Done this week" }).click()
    await expect.poll(() => new URL(page.url()).search).toBe("?range=7d&state=done")
    await page.getByRole("button", { name: "Views: Done this week" }).click()
    await page.getByRole("menuitem", { name: "Remove this view" }).click()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByRole("button", { name: "Views: Done this week" }).waitFor()
    const first = table.getByRole("row").nth(1)
    await first.focus()
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname.startsWith("/turns/turn_"))
    await page.context().close()
  })

  test("An operator opens a customer's turn by its id, and every failure in the counts leads to a list of turns", async () => {
    const { turn } = await endedTurn("customer-of-an-operator")
    const page = await signedIn("Admin")
    await goTo(page, turn.turn_id, /as operator/)
    await page.waitForURL((url) => url.pathname === `/operator/turns/${turn.turn_id}`)
    await page.getByRole("region", { name: "Input" }).getByText("Where is order 4711?").waitFor()
    await page.getByRole("link", { name: "Who has looked at this turn" }).click()
    await page.getByRole("cell", { name: "Turn read" }).first().waitFor()
    await page.goto(`${new URL(page.url()).origin}/operator`)
    await page.getByRole("link", { name: "View turns" }).last().click()
    await page.waitForURL((url) => url.pathname === "/operator/turns" && url.searchParams.has("state"))
    await page.context().close()
  })
})
