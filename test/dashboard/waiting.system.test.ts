import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const WAITING = "/turns/waiting?test=true"

describe.skipIf(!hasBrowser)("A turn that waits for an approval", () => {
  let app: WebApp
  let person: Person
  let space: string
  let turnId: string
  let send: ReturnType<typeof sendWith>

  const turnNow = async () => (await send("GET", `/v1/turns/${turnId}`)) as { state: string; result: string | null }
  const cardOn = ({ page }: Person) => page.getByRole("article", { name: `Turn ${turnId}` })

  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.test_key)
    // A worker takes the calls, so the test sees every call that was allowed.
    const shop = { title: "Shop", tools: [refundTool({ request: null })] }
    space = ((await send("POST", "/v1/spaces", shop)) as { space_id: string }).space_id
  })
  afterAll(() => app?.stop())

  beforeEach(async () => {
    const body = { space, end_user_ref: crypto.randomUUID(), text: refundText(80) }
    turnId = ((await send("POST", "/v1/turns", body)) as { turn_id: string }).turn_id
    await expect
      .poll(async () => (await send("GET", `/v1/turns/${turnId}?wait=1`)) as object)
      .toMatchObject({ waiting: { for: "approval" } })
  })

  test("An edited input is refused at its field if it does not fit the schema, and is used if it does", async () => {
    const { page, origin } = person
    await page.goto(origin + WAITING)
    const card = cardOn(person)
    await card.getByRole("link", { name: "Shop" }).waitFor()
    await card.getByRole("button", { name: "Edit the input" }).click()
    const field = card.getByRole("textbox", { name: "Input" })
    const allow = card.getByRole("button", { name: "Allow with this input" })
    await field.fill("{")
    await card.getByText("is not valid JSON").waitFor()
    expect(await allow.isDisabled()).toBe(true)
    await field.fill('{"order":"A-1","amount":"forty"}')
    await allow.click()
    await card.getByRole("alert").getByText("amount").waitFor()
    await field.fill('{"order":"A-1","amount":40}')
    await allow.click()
    await page.getByText("The call of refund is allowed.").waitFor()
    const taken = (await send("GET", `/v1/calls?wait=30&space=${space}`)) as { data: object[] }
    expect(taken.data).toMatchObject([{ turn_id: turnId, tool: "refund", input: { order: "A-1", amount: 40 } }])
    await send("POST", `/v1/turns/${turnId}/calls/0.0/result`, { output: { refunded: 40 } })
    await expect.poll(turnNow).toMatchObject({ state: "done", result: expect.stringContaining('{"refunded":40}') })
  })

  test("A denial on the turn's page tells the agent the message, and the page shows the end", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/turns/${turnId}?test=true`)
    await page.getByText("waiting for an approval").first().waitFor()
    await page.getByRole("button", { name: "Deny", exact: true }).click()
    await page.getByLabel("Message (optional)").fill("Ask Ada first.")
    await page.getByRole("button", { name: "Deny the call" }).click()
    await page.getByText("The call of refund is denied.").waitFor()
    await page.getByText("They say: Ask Ada first.").first().waitFor()
    expect(await turnNow()).toMatchObject({ state: "done" })
    await page.getByRole("tab", { name: "Events" }).click()
    await page.getByText("call.decided").waitFor()
  })

  test("The explorer filters by what turns wait for, and the timeline of a turn says where it waited, without axe findings", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/turns?test=true`)
    await page.getByRole("button", { name: "Filter", exact: true }).click()
    const filter = page.getByRole("combobox", { name: "Waiting" })
    await filter.selectOption({ label: "waiting for a limit" })
    await page.getByText("No turns match these filters").waitFor()
    await filter.selectOption({ label: "waiting for an approval" })
    const row = page.getByRole("row").filter({ has: page.locator(`a[href*="${turnId}"]`) })
    await row.getByText("waiting for an approval").waitFor()
    expect(new URL(page.url()).searchParams.get("waiting")).toBe("approval")
    expect(await axeOf(page)).toEqual([])
    await row.locator(`a[href*="${turnId}"]`).click()
    const timeline = page.getByRole("region", { name: "Timeline" })
    await timeline.getByText("for an approval · refund").waitFor()
    await timeline.getByText("waiting", { exact: true }).waitFor()
    expect(await axeOf(page)).toEqual([])
    await page.goto(origin + WAITING)
    await cardOn(person).getByRole("button", { name: "Allow" }).waitFor()
    expect(await axeOf(page)).toEqual([])
    await send("POST", `/v1/turns/${turnId}/calls/0.0/decision`, { decision: "deny" })
    await expect.poll(turnNow).toMatchObject({ state: "done" })
    await page.goto(`${origin}/turns/${turnId}?test=true`)
    await timeline.getByText("for an approval · refund").waitFor()
    expect(await timeline.getByText("waiting", { exact: true }).count()).toBe(0)
  })

  test("A decision after another one says so, and shows who decided what", async () => {
    const other = await app.signIn()
    await other.page.goto(other.origin + WAITING)
    await cardOn(other).getByRole("button", { name: "Allow" }).waitFor()
    // The other page does not hear of the first decision before its own.
    await other.page.route("**/api/account/waiting-turns?*", () => {})
    const { page, origin } = person
    await page.goto(origin + WAITING)
    await cardOn(person).getByRole("button", { name: "Deny", exact: true }).click()
    await cardOn(person).getByRole("button", { name: "Deny the call" }).click()
    await page.getByText("The call of refund is denied.").waitFor()
    await cardOn(person).waitFor({ state: "detached" })
    await cardOn(other).getByRole("button", { name: "Allow" }).click()
    await other.page
      .getByText(/The call of refund was already denied by you, .* Your decision has no effect\./)
      .waitFor()
    await expect.poll(turnNow).toMatchObject({ state: "done" })
    expect((await send("GET", `/v1/calls?space=${space}`)) as object).toEqual({ data: [] })
  })
})
