import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, type Person, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("The web app shows the current state", () => {
  let app: WebApp
  let admin: Person
  beforeAll(async () => {
    app = await startWebApp()
    admin = await app.signIn("Admin")
  })
  afterAll(() => app?.stop())

  const idOf = async (name: string) => {
    const { items } = await admin.api("GET", `/api/admin/users?q=${name}`)
    return items[0].user_id as number
  }
  const credit = async (userId: number, amount_usd: number) => {
    const answer = await admin.context.request.post(`${admin.origin}/api/admin/users/${userId}/credits`, {
      headers: { origin: admin.origin, "idempotency-key": crypto.randomUUID() },
      data: { reason: amount_usd < 0 ? "admin_action" : "operator_topup", amount_usd, note: "For the test" },
    })
    expect(answer.status()).toBe(201)
  }

  test("Home says that the balance is spent while it is spent, and gone after a top-up", async () => {
    const { page, origin } = await app.signIn("Barbara")
    const userId = await idOf("Barbara")
    await credit(userId, 5)
    await credit(userId, -5)
    await page.goto(`${origin}/home`)
    await page.getByText("This account has no available credit, so live turns are refused with 402.").waitFor()
    await credit(userId, 5)
    await page.reload()
    await page.getByText("$5.00").first().waitFor()
    await page.getByText("No turns yet").or(page.getByText("First steps")).first().waitFor()
    await page.waitForLoadState("networkidle")
    expect(await page.getByText("no available credit").count()).toBe(0)
    expect(await page.getByRole("heading", { name: "Needs you" }).isVisible()).toBe(false)
  })

  test("The columns of caps show the spent amount of the limit", async () => {
    const { page, origin, api } = await app.signIn()
    await api("PUT", "/api/account/end-users/thrifty/limits", { daily_usd: 6, monthly_usd: null, blocked: false })
    await page.goto(`${origin}/end-users`)
    const row = page.getByRole("row").filter({ hasText: "thrifty" })
    await row.getByText("of $6.00").waitFor()
    expect((await row.innerText()).replaceAll(/\s+/g, " ")).toContain("$0.00 of $6.00")
  })

  test("A chart of names is horizontal, and each bar has its name", async () => {
    const { page, origin, api } = await app.signIn()
    const { value } = await api("POST", "/api/account/keys", { name: "Chart", scope: "all" })
    const headers = { authorization: `Bearer ${value}`, "content-type": "application/json" }
    const { items } = await api("GET", "/api/account/spaces?q=Demo")
    const refs = Array.from({ length: 9 }, (_, n) => `customer-with-a-name-${n}`)
    for (const end_user_ref of refs) {
      const turn = { space: items[0].space_id, end_user_ref, text: "Hello" }
      const sent = await fetch(`${origin}/v1/turns`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": end_user_ref },
        body: JSON.stringify(turn),
      })
      const { turn_id } = (await sent.json()) as { turn_id: string }
      await fetch(`${origin}/v1/turns/${turn_id}?wait=30`, { headers })
    }
    await page.goto(`${origin}/usage?group_by=end_user_ref`)
    const chart = page.getByRole("figure")
    for (const ref of refs) await chart.locator("svg").getByText(ref, { exact: true }).waitFor()
  })

  test("Today's bar is drawn as unfinished, and the table says so", async () => {
    const { page, origin } = await app.signIn()
    await page.goto(`${origin}/usage?days=7`)
    const chart = page.getByRole("figure")
    await chart.locator("svg .unfinished").first().waitFor()
    await chart.getByText("is not over yet").waitFor()
    await chart.getByRole("button", { name: "Show as table" }).click()
    await chart.getByRole("cell", { name: /^\d{4}-\d\d-\d\d, so far$/ }).waitFor()
  })

  test("A provider key without a value has served no calls", async () => {
    await admin.page.goto(`${admin.origin}/operator/api-keys`)
    const row = admin.page.getByRole("row").filter({ hasText: "ANTHROPIC_API_KEY" })
    await row.getByText("none stored").waitFor()
    const { items } = await admin.api("GET", "/api/admin/api-keys")
    const calls = items
      .filter(({ is_set }: { is_set: boolean }) => !is_set)
      .map(({ calls }: { calls: number }) => calls)
    expect(new Set(calls)).toEqual(new Set([0]))
  })

  test("Each provider account has an even pace of its own", async () => {
    const { page, origin } = admin
    const now = Date.now()
    const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
    // Two windows of five hours: one begins now, the other is nearly over.
    const snapshots = [4, 1].flatMap((left, n) =>
      [-0.9, -0.5, -0.1].map((taken) => ({
        subscription_id: `account-${n}`,
        provider: "main",
        resource: "unified",
        window_seconds: 5 * 3600,
        used_pct: 10 + n,
        reset_at: at(left),
        taken_at: at(taken),
      })),
    )
    const report = { hours: 6, provider: null, from: at(-6), to: at(0), snapshots, spend_seconds: 3600, spend: [] }
    await page.route("**/api/admin/providers/capacity?*", (route) => route.fulfill({ json: report }))
    await page.goto(`${origin}/operator/providers/capacity?hours=6`)
    await expect.poll(() => page.locator("figure svg .guide path").count()).toBe(2)
    await page.getByText("the even pace of each account").waitFor()
  })
})
