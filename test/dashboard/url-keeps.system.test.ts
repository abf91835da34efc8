import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("The URL of the web app", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test("A tab of the playground keeps the space, the model and the text, and its code names them", async () => {
    const { page, origin, api } = await app.signIn()
    const { space_id } = await api("POST", "/api/account/spaces", { title: "The chosen agent" })
    await api("POST", "/api/account/spaces", { title: "A newer agent" })
    await page.goto(`${origin}/playground?space=${space_id}&model=rehearsal%2Fstandard`)
    await page.getByLabel("Text", { exact: true }).fill("Where is my order?")
    await page.getByRole("tab", { name: "As TypeScript" }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get("tab")).toBe("typescript")
    const { searchParams } = new URL(page.url())
    expect([searchParams.get("space"), searchParams.get("model")]).toEqual([space_id, "rehearsal/standard"])
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Where is my order?")
    const code = await page.getByRole("tabpanel").innerText()
    expect(code).toContain(space_id)
    expect(code).toContain("Where is my order?")
  })

  test.each([
    ["/operator/analytics/costs?days=90", "Models"],
    ["/operator/analytics/hourly?days=30", "By space"],
  ])("A tab of %s keeps the range", async (path, tab) => {
    const { page, origin } = await app.signIn("Admin")
    await page.goto(origin + path)
    await page.getByRole("tab", { name: tab }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get("tab")).not.toBeNull()
    expect(new URL(page.url()).searchParams.get("days")).toBe(new URL(origin + path).searchParams.get("days"))
  })

  test("The range of a report is chosen by days, by name or by dates, and the URL has one of them", async () => {
    const { page, origin } = await app.signIn("Admin")
    await page.goto(`${origin}/operator/analytics/costs?days=90`)
    const search = () => new URL(page.url()).search
    const range = page.getByRole("button", { name: /^Period \(UTC\)/ })
    const choose = async (preset: string) => {
      await range.click()
      await page.getByRole("button", { name: preset, exact: true }).click()
    }
    await choose("Last month")
    await expect.poll(search).toBe("?period=last_month")
    await page.reload()
    const month = new Date(new Date().setUTCDate(0)).toISOString().slice(0, 7)
    await page.getByText(`${month}-01`).first().waitFor()
    await page.getByRole("button", { name: "Period (UTC): Last month" }).waitFor()
    await range.click()
    await page.getByLabel("From (UTC)").fill("2026-01-01")
    await page.getByLabel("To (UTC)").fill("2026-01-31")
    await page.getByRole("button", { name: "Use these dates" }).click()
    await expect.poll(search).toBe("?start=2026-01-01T00%3A00%3A00.000Z&end=2026-02-01T00%3A00%3A00.000Z")
    await page.getByRole("button", { name: "Period (UTC): 2026-01-01 to 2026-01-31" }).waitFor()
    await choose("Last 30 days")
    await expect.poll(search).toBe("?days=30")
  })

  test("A report keeps its brand in the URL, and asks for it with the range, until it is removed", async () => {
    const { page, origin } = await app.signIn("Admin")
    const answered: number[] = []
    page.on("response", (response) => {
      const { pathname, searchParams } = new URL(response.url())
      const [days, brand] = [searchParams.get("days"), searchParams.get("brand")]
      if (pathname === "/api/admin/analytics/costs" && days === "90" && brand) answered.push(response.status())
    })
    await page.goto(`${origin}/operator/analytics/costs?days=90&tab=models`)
    const brand = page.getByLabel("Brand", { exact: true })
    await brand.fill("turnpike")
    await brand.press("Enter")
    await expect.poll(() => new URL(page.url()).search).toContain("&brand=turnpike")
    await page.reload()
    await expect.poll(() => brand.inputValue()).toBe("turnpike")
    await expect.poll(() => answered.at(-1)).toBe(200)
    await brand.fill("")
    await brand.press("Enter")
    await expect.poll(() => new URL(page.url()).search).toBe("?days=90&tab=models")
  })

  test("The switch to test data keeps the filters of a list", async () => {
    const { page, origin } = await app.signIn()
    await page.goto(`${origin}/turns?state=failed`)
    await page.getByRole("heading", { level: 1, name: "Turns" }).waitFor()
    await page.getByRole("checkbox", { name: "Test data" }).check()
    await expect.poll(() => new URL(page.url()).search).toBe("?state=failed&test=true")
  })

  test("The button Back undoes one filter after the other, and stays on the page", async () => {
    const { page, origin } = await app.signIn()
    await page.goto(`${origin}/activity`)
    await page.getByRole("button", { name: "Filter", exact: true }).click()
    await page.getByRole("combobox", { name: "By" }).selectOption("owner")
    await expect.poll(() => new URL(page.url()).search).toBe("?by=owner")
    await page.getByRole("combobox", { name: "Action" }).selectOption("user.sign_in")
    await expect.poll(() => new URL(page.url()).searchParams.get("action")).toBe("user.sign_in")
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Remove the filter Action" }).waitFor()
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe("?by=owner")
    await page.goBack()
    await expect.poll(() => [new URL(page.url()).pathname, new URL(page.url()).search]).toEqual(["/activity", ""])
    await page.goForward()
    await page.getByRole("button", { name: "Remove the filter By" }).click()
    await expect.poll(() => new URL(page.url()).search).toBe("")
  })

  test("The page of an end user with a slash in its id is the same after a reload", async () => {
    const { page, origin, api } = await app.signIn()
    const ref = `a/b?c#d e&f'"<x>%2F`
    await api("PUT", `/api/account/end-users/${encodeURIComponent(ref)}/limits`, {
      daily_usd: 1,
      monthly_usd: null,
      blocked: false,
    })
    await page.goto(`${origin}/end-users`)
    await page.getByRole("link", { name: ref, exact: true }).click()
    await page.getByRole("heading", { level: 1, name: ref, exact: true }).waitFor()
    await page.getByRole("button", { name: "Save the caps" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { level: 1, name: ref, exact: true }).waitFor()
    await page.getByRole("button", { name: "Save the caps" }).waitFor()
    await page.goto(`${origin}/end-users/${encodeURIComponent(ref)}`)
    await page.getByRole("button", { name: "Save the caps" }).waitFor()
  })
})
