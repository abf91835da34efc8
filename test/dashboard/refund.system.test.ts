import type { Locator } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const REF = "customer-who-complains"
const REASON = "Ticket 4711: the reply was wrong."

interface Ended {
  turn_id: string
  billed_cost_usd: number
  end_user_charge_usd: number
}

describe.skipIf(!hasBrowser)("A refund in the web app", () => {
  let app: WebApp
  let send: ReturnType<typeof sendWith>
  let operator: Person
  let owner: Person

  beforeAll(async () => {
    app = await startWebApp()
    send = sendWith(app.service, app.service.api_key)
    ;[operator, owner] = [await app.signIn("Admin"), await app.signIn("Demo")]
  })
  afterAll(() => app?.stop())

  /** A turn of a customer who pays twice its bill from a wallet. */
  async function paidTurn(): Promise<Ended> {
    const { space_id: space } = await send<{ space_id: string }>("POST", "/v1/spaces", { title: "Shop" })
    await send("PUT", "/v1/prices/double", { multiplier: 2 })
    await send("PUT", `/v1/end-users/${REF}/billing`, { price: "double", prepaid: true })
    await send("POST", `/v1/end-users/${REF}/credits`, { amount_usd: 5 })
    const { turn_id } = await send<Ended>("POST", "/v1/turns", { space, end_user_ref: REF, text: "Hello" })
    await expect.poll(() => send("GET", `/v1/turns/${turn_id}?wait=5`)).toMatchObject({ state: "done" })
    return send("GET", `/v1/turns/${turn_id}`)
  }

  test("An operator gets from a customer's complaint to a refund that operator and owner see in five clicks", async () => {
    const turn = await paidTurn()
    const { page } = operator
    await page.goto(`${operator.origin}/operator`)
    let clicks = 0
    const click = async (target: Locator) => {
      await target.click()
      clicks++
    }
    await click(page.getByRole("button", { name: "Agents" }))
    await click(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "All turns" }))
    await page.getByLabel("Id, customer or title").fill(REF)
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.searchParams.get("q") === REF)
    await click(page.locator(`a[href^="/operator/turns/${turn.turn_id}"]`))
    await click(page.getByRole("button", { name: "Refund" }))
    const dialog = page.getByRole("dialog")
    await dialog
      .getByText(`The prepaid wallet of ${REF} gets its charge of $${turn.end_user_charge_usd} back.`)
      .waitFor()
    await dialog.getByRole("table", { name: "The turn in the ledger" }).waitFor()
    expect(await axeOf(page)).toEqual([])
    await dialog.getByLabel("Reason").fill(REASON)
    await click(dialog.getByRole("button", { name: "Refund" }))
    await page.getByText("The turn is refunded.").waitFor()
    console.log(`From a complaint to a refund: ${clicks} clicks`)
    expect(clicks).toBe(5)

    const shown = `$${turn.billed_cost_usd}`
    await page.getByRole("table", { name: "The turn in the ledger" }).getByText(REASON).waitFor()
    await page.getByRole("button", { name: "Refund", exact: true }).waitFor({ state: "detached" })
    expect(await send("GET", `/v1/turns/${turn.turn_id}`)).toMatchObject({ refunded_usd: turn.billed_cost_usd })
    expect(await send("GET", `/v1/end-users/${REF}/balance`)).toMatchObject({ balance_usd: 5 })

    const { page: own, origin } = owner
    await own.goto(`${origin}/turns/${turn.turn_id}?tab=bill`)
    await own.getByText("to your balance", { exact: true }).waitFor()
    // In the figures of the turn and of the bill, and in the receipt.
    await own.getByText("Refunded", { exact: true }).nth(2).waitFor()
    await own.getByRole("link", { name: "by the operator" }).click()
    const entry = own.getByRole("table", { name: "Ledger entries, newest first" }).getByRole("row", { name: REASON })
    await entry.getByText(`+${shown}`).waitFor()
    await own.goto(`${origin}/turns`)
    await own.getByRole("row", { name: REF }).getByText("refunded").waitFor()
    await own.goto(`${origin}/usage?group_by=end_user_ref&end_user_ref=${REF}`)
    await own.getByText(`${shown} refunded, net $0.00`).waitFor()
    await own.goto(`${origin}/end-users/${REF}`)
    await own.getByText(`${shown} refunded`).waitFor()
    await page.goto(`${operator.origin}/operator`)
    await page.getByText(`refunded ${shown}`).first().waitFor()
  })

  test("The palette finds the refunded turn by its id, and the ledger of the account filters refunds", async () => {
    const { items } = await operator.api("GET", `/api/admin/turns?end_user_ref=${REF}`)
    const { turn_id, account } = items[0]
    const { page, origin } = operator
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill(turn_id)
    await page
      .getByRole("option")
      .filter({ hasText: /as operator/ })
      .first()
      .click()
    await page.waitForURL((url) => url.pathname === `/operator/turns/${turn_id}`)
    await page.goto(`${origin}/operator/users/${account.user_id}?tab=energy`)
    await page.getByRole("combobox", { name: "Bucket" }).selectOption("refunded")
    await page.waitForURL((url) => url.searchParams.get("bucket") === "refunded")
    await expect.poll(() => page.getByRole("table", { name: "The account's ledger" }).getByRole("row").count()).toBe(2)
    await page.getByRole("table", { name: "The account's ledger" }).getByText(REASON).waitFor()
  })
})
