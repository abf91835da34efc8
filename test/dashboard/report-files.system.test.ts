import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

const FILE = {
  file_id: "rpt_large",
  report: "usage-by-slug",
  bytes: 0,
  created_at: "2026-11-30T08:00:00.000Z",
  ...{ state: "making", progress: 0, rows: 0, url: null, expires_at: null },
}

describe.skipIf(!hasBrowser)("The CSV of a report by space", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test("A small one is saved at once, and a large one shows its progress and then its link", async () => {
    const { page, origin } = await app.signIn("Admin")
    await page.goto(`${origin}/operator/analytics?tab=space&days=30`)
    const press = () => page.getByRole("button", { name: "CSV" }).click()
    const saved = page.waitForEvent("download")
    await press()
    const download = await saved
    expect(download.suggestedFilename()).toBe("usage-by-slug.csv")
    expect(await readFile(await download.path(), "utf8")).toMatch(/^slug,date,turns,/)

    await page.route(/\/api\/admin\/usage\?.*format=csv/, (route) => route.fulfill({ status: 202, json: FILE }))
    let progress = 0.42
    const file = () =>
      progress < 1
        ? { ...FILE, progress, rows: 42_000 }
        : { ...FILE, ...{ state: "ready", progress, rows: 100_000, url: "/x", expires_at: "2026-12-01T08:00:00.000Z" } }
    await page.route(/\/api\/admin\/report-files\/rpt_large$/, (route) => route.fulfill({ json: file() }))
    await press()
    await page.getByText("Making the file: 42 %").waitFor()
    progress = 1
    const link = page.getByRole("link", { name: "Download" })
    await link.waitFor()
    expect(await link.getAttribute("href")).toMatch(/^\/api\/admin\/report-files\/rpt_large\/content/)
  })
})
