import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const MODEL = "rehearsal/standard"

/** An amount as the web app shows it: with all its decimals, and at least two. */
/** An amount in a column whose decimals line up. */
const alignedUsd = (micros: number) => `$${(micros / 1e7).toFixed(7)}`
const microsOf = (usd: number) => Math.round(usd * 1e7)

describe.skipIf(!hasBrowser)("Prices and wallets in the web app", () => {
  let app: WebApp
  let person: Person
  let space: string
  let send: ReturnType<typeof sendWith>

  interface Ended {
    state: string
    billed_cost_usd: number
    end_user_charge_usd: number | null
  }

  /** A live turn, when it has ended. */
  async function sendTurn(body: { end_user_ref: string; metadata?: Record<string, string> }): Promise<Ended> {
    const { turn_id: id } = await send<{ turn_id: string }>("POST", "/v1/turns", { space, text: "Hello", ...body })
    await expect.poll(() => send<Ended>("GET", `/v1/turns/${id}?wait=5`)).toMatchObject({ state: "done" })
    return send("GET", `/v1/turns/${id}`)
  }

  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
    space = (await send<{ space_id: string }>("POST", "/v1/spaces", { title: "Shop", model: MODEL })).space_id
  })
  afterAll(() => app?.stop())

  test("A customer with a price and a credit pays the multiplier of the turn's model, and the page shows the balance after it", async () => {
    const { page, origin } = person
    const ref = "customer-7"
    expect(await sendTurn({ end_user_ref: ref })).toMatchObject({ end_user_charge_usd: null })

    await page.goto(`${origin}/prices`)
    await page.getByRole("button", { name: "Set a price" }).click()
    const form = page.getByRole("form", { name: "Price" })
    await form.getByLabel("Name").fill("standard")
    await form.getByRole("button", { name: "Add a model" }).click()
    expect(await form.getByRole("button", { name: "Save the price" }).isDisabled()).toBe(true)
    await form.getByRole("combobox", { name: "Model 1" }).selectOption(MODEL)
    await form.getByRole("textbox", { name: "Multiplier 1" }).fill("three")
    await form.getByRole("button", { name: "Save the price" }).click()
    await form.getByRole("textbox", { name: "Multiplier 1" }).and(page.locator("[aria-invalid]")).waitFor()
    await form.getByRole("textbox", { name: "Multiplier 1" }).fill("3")
    await form.getByRole("button", { name: "Save the price" }).click()
    await page.getByText("Version 1 of the price standard applies to new turns.").waitFor()
    await page
      .getByRole("row", { name: /standard/ })
      .getByText("1 to 3", { exact: true })
      .waitFor()
    expect(await axeOf(page)).toEqual([])

    await page.goto(`${origin}/end-users/${ref}`)
    const wallet = page.getByRole("region", { name: "Price and wallet" })
    await wallet.getByRole("button", { name: "Change price or payment" }).click()
    await page.getByRole("dialog").getByLabel("Price", { exact: true }).selectOption("standard")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText(`The price and the payment of ${ref} are saved.`).waitFor()
    await wallet.getByText("set for this end user").waitFor()
    await wallet.getByRole("button", { name: "Add credit" }).click()
    await page.getByLabel("Amount (USD)").fill("5")
    await page.getByLabel("Note").fill("Order 1042")
    await page.getByRole("dialog").getByRole("button", { name: "Add credit" }).click()
    await wallet.getByText("Order 1042").waitFor()
    await wallet.getByText("prepaid", { exact: true }).waitFor()

    const { billed_cost_usd: billed, end_user_charge_usd: charge } = await sendTurn({ end_user_ref: ref })
    expect(billed).toBeGreaterThan(0)
    expect(microsOf(charge ?? 0)).toBe(3 * microsOf(billed))
    await page.reload()
    const left = alignedUsd(microsOf(5) - 3 * microsOf(billed))
    // The figures are in cents; the ledger is exact.
    await wallet.getByRole("row").nth(1).getByText(left, { exact: true }).waitFor()
    expect(await wallet.getByRole("row").count()).toBe(3)
    expect(await axeOf(page)).toEqual([])
  })

  test("A key has a default of its own, which ends when nothing is set for it any more", async () => {
    const { page, origin, api } = person
    const { key_id: key } = await api("POST", "/api/account/keys", { name: "Resold", scope: "all" })
    await send("PUT", "/v1/prices/by-key", { multiplier: 2 })
    await page.goto(`${origin}/prices`)
    const section = page.getByRole("region", { name: "Defaults" })
    await section.getByRole("button", { name: "Set a key's default" }).click()
    const form = page.getByRole("form", { name: "Default" })
    await form.getByRole("combobox", { name: "API key" }).fill("Resold")
    await page.getByRole("option", { name: /Resold/ }).click()
    await form.getByLabel("Price", { exact: true }).selectOption("by-key")
    await form.getByLabel("Payment").selectOption("false")
    await form.getByRole("button", { name: "Save the default" }).click()
    const row = section.getByRole("row", { name: /Resold/ })
    await row.getByText("not prepaid").waitFor()
    expect((await api("GET", "/api/account/end-user-defaults")).items).toMatchObject([
      { key_id: null, price: null },
      { key_id: key, price: "by-key", prepaid: false },
    ])
    await row.getByRole("button", { name: "Change the default of the key Resold" }).click()
    await form.getByLabel("Price", { exact: true }).selectOption("")
    await form.getByLabel("Payment").selectOption("")
    await form.getByRole("button", { name: "Save the default" }).click()
    await row.waitFor({ state: "detached" })
  })

  test("Usage is grouped by a key of metadata as soon as it is registered", async () => {
    const { page, origin } = person
    await sendTurn({ end_user_ref: "customer-8", metadata: { feature: "search" } })
    await page.goto(`${origin}/usage`)
    await page.getByRole("button", { name: "Metadata keys" }).click()
    await page.getByRole("textbox", { name: "Key 1" }).fill("feature")
    await page.getByRole("button", { name: "Save the keys" }).click()
    await page.getByText("The keys are saved.").waitFor()
    await page.getByRole("combobox", { name: "Group by" }).selectOption({ label: "By feature" })
    const table = page.getByRole("table", { name: "Usage by feature" })
    await table.getByRole("row", { name: /^search/ }).waitFor()
    await table.getByRole("row", { name: /^Not set/ }).waitFor()
    expect(new URL(page.url()).searchParams.get("group_by")).toBe("metadata.feature")
    expect(await axeOf(page)).toEqual([])
  })
})
