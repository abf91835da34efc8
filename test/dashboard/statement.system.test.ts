import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { parseCsv } from "../harness/csv.ts"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

const microsOf = (usd: string | number) => Math.round(Number(usd) * 1e7)
const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

/** A month with all usage so far, because no month of a new service is over, and with 0.10 USD of the playground. */
function statementOf(month: string, { turns, billed_usd }: { turns: number; billed_usd: number }) {
  const amount_usd = (billed_usd + 0.1).toFixed(7)
  return {
    document: "statement",
    version: 1,
    month,
    from: "2026-01-01T00:00:00.000Z",
    to: "2100-01-01T00:00:00.000Z",
    currency: "USD",
    receipts: { count: turns + 1, amount_usd, digest: DIGEST },
    days: [{ day: `${month}-01`, receipts: turns + 1, amount_usd, digest: DIGEST }],
    refunds: { count: 0, amount_usd: "0.0000000", digest: DIGEST },
    other_charges: { count: 0, amount_usd: "0.0000000" },
    total_usd: amount_usd,
  }
}

describe.skipIf(!hasBrowser)("A statement to hand over", () => {
  let app: WebApp
  let person: Person

  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
  })
  afterAll(() => app?.stop())

  async function download(name: string) {
    const [file] = await Promise.all([
      person.page.waitForEvent("download"),
      person.page.getByRole("button", { name }).click(),
    ])
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }

  test("An owner saves the company once, and a month is a PDF, three CSVs and a printed page", async () => {
    const { page, origin, api } = person
    await page.goto(`${origin}/account?tab=billing`)
    await page.getByLabel("Company").fill("Łódź Example Sp. z o.o.")
    await page.getByLabel("Address").fill("ul. Piotrkowska 1\n90-001 Łódź")
    await page.getByLabel("Tax number").fill("PL1234567890")
    await page.getByRole("button", { name: "Save the details" }).click()
    await page.getByText("The billing details are saved.").waitFor()
    expect(await axeOf(page)).toEqual([])

    const { total } = await api("GET", "/api/account/usage?group_by=day")
    const month = "2026-10"
    const document = statementOf(month, total)
    await page.route(`**/api/account/usage/statements/${month}`, (route) =>
      route.fulfill({ json: { month, state: "final", receipts_read: 1, statement: { document, digest: DIGEST } } }),
    )
    await page.goto(`${origin}/statements/${month}`)
    await page.getByRole("heading", { name: "By end user" }).waitFor()
    await page.getByText("Tax number: PL1234567890").waitFor()
    const rest = page.getByRole("row", { name: /^Playground, and models not listed/ })
    await rest.getByText("$0.1000000", { exact: true }).waitFor()
    expect(await axeOf(page)).toEqual([])

    const pdf = await download("Save as PDF")
    expect(pdf.name).toBe(`statement-${month}.pdf`)
    expect(pdf.bytes.subarray(0, 5).toString("latin1")).toBe("%PDF-")
    expect(pdf.bytes.subarray(-6).toString("latin1")).toContain("%%EOF")

    for (const heading of ["By model", "By end user", "By day"]) {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("region", { name: heading }).getByText("CSV").click(),
      ])
      const [header = [], ...rows] = parseCsv(await readFile(await file.path(), "utf8"))
      const billed = rows.reduce((sum, row) => sum + microsOf(row[header.indexOf("billed_usd")] ?? ""), 0)
      expect(billed, heading).toBe(microsOf(total.billed_usd))
    }

    await page.emulateMedia({ media: "print", colorScheme: "dark" })
    const shown = (name: string) => page.getByRole("button", { name }).isVisible()
    expect([await shown("Save as PDF"), await page.locator("aside").first().isVisible()]).toEqual([false, false])
    expect(await page.getByText("Tax number: PL1234567890").isVisible()).toBe(true)
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe("rgb(255, 255, 255)")
  })
})
