import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

const MARKDOWN = "**bold** [good](https://example.com) [bad](javascript:alert(1)) <img src=x onerror=alert(1)>"

describe.skipIf(!hasBrowser)("The pages of an owner and of an operator", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test("The playground asks two models, shows their costs and times, and renders Markdown without HTML or unsafe links", async () => {
    const { page } = await app.signIn("Demo")
    await page.goto(`${app.service.base_url}/playground`)
    await page.getByLabel("Compare with").selectOption("rehearsal/standard")
    await page.getByRole("combobox", { name: "End user" }).fill("ada")
    await page.getByLabel("Text").fill(MARKDOWN)
    await page.getByRole("button", { name: "Send", exact: true }).click()
    for (const name of ["Conversation with Space default", "Conversation with rehearsal/standard"]) {
      const answer = page.getByRole("region", { name, exact: true })
      await answer.getByRole("strong").getByText("bold").waitFor()
      const link = answer.getByRole("link", { name: "good" })
      expect(await link.getAttribute("rel")).toContain("noopener")
      expect(await answer.locator("img, a[href^=javascript]").count()).toBe(0)
      await answer.getByText(/took \d/).waitFor()
      await answer
        .getByText(/billed/)
        .first()
        .waitFor()
    }
    await page.context().close()
  })

  test("The operators' navigation has at most seven sections, which fit a window of 900 px with one open", async () => {
    const { page } = await app.signIn("Admin")
    const pages = page.getByRole("navigation", { name: "Pages" }).first()
    const sections = pages.getByRole("button")
    const count = await sections.count()
    expect(count).toBeLessThanOrEqual(7)
    for (let at = 0; at < count; at++) {
      const section = sections.nth(at)
      if ((await section.getAttribute("aria-expanded")) === "false") await section.click()
      expect(await pages.getByRole("link").count()).toBeGreaterThan(2)
      const hidden = await pages.evaluate((nav) => nav.scrollHeight - nav.clientHeight)
      expect(hidden).toBeLessThanOrEqual(0)
    }
    await page.context().close()
  })

  test("On a phone, a row of a table is a card with three lines", async () => {
    const { page } = await app.signIn("Demo", { width: 390, height: 844 })
    await page.goto(`${app.service.base_url}/turns`)
    const row = page.getByRole("row").nth(1)
    await row.waitFor()
    const tops = await row
      .getByRole("cell")
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.clientHeight > 0).map((cell) => Math.round(cell.getBoundingClientRect().top)),
      )
    expect(new Set(tops).size).toBe(3)
    await page.context().close()
  })

  test("Test data has a frame, and the palette finds pages, actions and documents", async () => {
    const { page } = await app.signIn("Demo")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill("webhook")
    const options = page.getByRole("option")
    await options.getByText("Create a webhook").waitFor()
    await options.getByText("Receiving webhooks").waitFor()
    await page.getByRole("combobox").fill("test data")
    await page.keyboard.press("Enter")
    await page.getByText("Turns run the rehearsal model and cost nothing.").waitFor()
    expect(new URL(page.url()).searchParams.get("test")).toBe("true")
    await page.getByRole("button", { name: "Show live data" }).click()
    await page.getByText("Turns run the rehearsal model and cost nothing.").waitFor({ state: "detached" })
    await page.context().close()
  })

  test("A tool is made by its form, and its JSON has the same content", async () => {
    const { page } = await app.signIn("Demo")
    await page.goto(`${app.service.base_url}/spaces`)
    await page.getByRole("link", { name: "Demo", exact: true }).click()
    await page.getByRole("tab", { name: "Tools" }).click()
    await page.getByRole("button", { name: "Add a tool" }).click()
    await page.getByLabel("Name", { exact: true }).fill("lookup_order")
    await page.getByLabel("Description", { exact: true }).fill("Finds an order.")
    await page.getByLabel("URL", { exact: true }).fill("https://shop.example.com/orders/{{input.order_id}}")
    await page.getByRole("button", { name: "Add a parameter" }).click()
    await page.getByLabel("Name of parameter 1").fill("order_id")
    await page.getByRole("button", { name: "Edit Input as JSON" }).click()
    const json = JSON.parse(await page.getByLabel("Input as JSON").inputValue())
    expect(json).toEqual({
      type: "object",
      properties: { order_id: { type: "string" } },
      required: ["order_id"],
      additionalProperties: false,
    })
    await page.getByRole("button", { name: "Save the tool" }).click()
    await page
      .getByRole("cell", { name: /lookup_order/ })
      .first()
      .waitFor()
    await page.context().close()
  })
})
