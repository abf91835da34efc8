import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("The page Users", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test("An operator chooses users, sees what happens to each, and credits them with a reason", async () => {
    const { page, origin, api } = await app.signIn("Admin")
    const ids: number[] = []
    for (const name of ["Many Ada", "Many Ben"]) {
      const email = `${name.slice(-3).toLowerCase()}@many.example`
      ids.push((await api("POST", "/api/admin/users", { name, email, password: "correct horse battery" })).user_id)
    }
    await page.goto(`${origin}/operator/users?q=many`)
    await page.getByRole("checkbox", { name: "Choose Many Ada" }).check()
    await page.getByRole("status").filter({ hasText: "1 chosen" }).waitFor()
    await page.getByRole("checkbox", { name: "Choose all rows of this page" }).check()
    await page.getByRole("button", { name: "Credit, plan or disable" }).click()
    const dialog = page.getByRole("dialog", { name: "Change 2 users" })
    await dialog.getByLabel("Amount for each user (USD)").fill("2.5")
    await dialog.getByRole("button", { name: "Preview" }).click()
    await dialog.getByText("2 users will change, 0 users will stay as they are, 0 users will be refused.").waitFor()
    const confirm = dialog.getByRole("button", { name: "Change 2 users" })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel("Reason").fill("For the outage.")
    await dialog.getByLabel("Amount for each user (USD)").fill("3")
    // Another amount needs another preview.
    await confirm.waitFor({ state: "detached" })
    await dialog.getByRole("button", { name: "Preview" }).click()
    await confirm.click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("No users chosen").waitFor()
    for (const id of ids) expect((await api("GET", `/api/admin/users/${id}`)).wallet.balance_usd).toBe(3)
  })

  test("The page of a user has the usage by end user, and its CSV has the range of the page", async () => {
    const { page, origin, api } = await app.signIn("Admin")
    const { user_id } = await api("POST", "/api/admin/users", { name: "Quiet", email: "quiet@many.example" })
    await page.goto(`${origin}/operator/users/${user_id}?tab=end-users&period=last_month&sort=tokens`)
    await page.getByText("No usage in this range").waitFor()
    const csv = new URL((await page.getByRole("link", { name: "CSV" }).getAttribute("href")) ?? "", origin)
    expect(csv.pathname).toBe("/api/admin/analytics/end-users")
    const asked = { user_id: String(user_id), period: "last_month", sort: "tokens", direction: "desc", format: "csv" }
    expect(Object.fromEntries(csv.searchParams)).toMatchObject(asked)
  })
})
