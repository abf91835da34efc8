import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

/** The number in an amount, in the form of any language. */
const amountIn = (text: string) =>
  Number(
    text
      .replace(/[^\d.,−-]/g, "")
      .replace("−", "-")
      .replace(/[.,](?=.*[.,])/g, "")
      .replace(",", "."),
  )

describe.skipIf(!hasBrowser)("The portal on a phone", () => {
  let app: WebApp
  let person: Person
  let shots: string
  let space: string
  let send: ReturnType<typeof sendWith>

  beforeAll(async () => {
    shots = process.env.PORTAL_SHOTS ?? (await makeTemporaryDirectory("portal-phone"))
    await mkdir(shots, { recursive: true })
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
    space = (await send("POST", "/v1/spaces", { title: "Shop" })).space_id
  })
  afterAll(() => app?.stop())

  const browser = () => {
    const found = person.context.browser()
    if (!found) throw new Error("no browser")
    return found
  }

  test.each([
    { locale: "de-DE", lang: undefined, balance: "Guthaben", credit: "Gutschrift", number: /^-?[\d.]+,\d{4}\s\$$/ },
    { locale: "en-US", lang: "ja", balance: "残高", credit: "入金", number: /^-?\$[\d,]+\.\d{4}$/ },
  ])("On a phone, in $locale with lang $lang, amounts add up and a wallet changes during the visit", async (look) => {
    const { locale, lang, balance, credit, number } = look
    const ref = `buyer-${locale}`
    await send("PUT", "/v1/prices/fixed", { multiplier: 0, per_turn_usd: 0.0123, rounding: { to_usd: 0.0001 } })
    await send("PUT", `/v1/end-users/${ref}/billing`, { price: "fixed", prepaid: true })
    await send("POST", `/v1/end-users/${ref}/credits`, { amount_usd: 1 })
    for (let count = 0; count < 9; count++) {
      const turn = { space, end_user_ref: ref, text: "[reply Here it is.]" }
      const { turn_id } = await send("POST", "/v1/turns", turn)
      while ((await send("GET", `/v1/turns/${turn_id}?wait=1`)).state !== "done");
    }
    const { url } = await send("POST", `/v1/end-users/${ref}/portal-sessions`, {
      scopes: ["usage", "turns", "limits", "wallet"],
      lang,
    })
    const context = await browser().newContext({
      locale,
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    try {
      const page = await context.newPage()
      await page.clock.install()
      await page.goto(url)
      const wallet = page.getByRole("region", { name: balance })
      await wallet.getByText(credit).waitFor()
      expect(await page.evaluate("document.documentElement.lang")).toBe(lang ?? "de")
      const amounts = async () => {
        const cells = await wallet.locator("td:last-child").allTextContents()
        for (const cell of cells) expect(cell).toMatch(number)
        return cells.map(amountIn)
      }
      const available = async () => amountIn((await wallet.locator("dd").first().textContent()) ?? "")
      const sum = (list: number[]) => Number(list.reduce((total, amount) => total + amount, 0).toFixed(4))
      expect(await amounts()).toHaveLength(10)
      expect(await available()).toBe(0.8893)
      expect(sum(await amounts())).toBe(0.8893)
      await page.screenshot({ path: join(shots, `phone-${lang ?? locale}-before.png`), fullPage: true })
      expect(await axeOf(page)).toEqual([])
      await send("POST", `/v1/end-users/${ref}/credits`, { amount_usd: 5 })
      await page.clock.fastForward(31_000)
      await expect.poll(available).toBe(5.8893)
      // Only the last entries are shown, so the first credit is gone.
      expect(await amounts()).toHaveLength(10)
      expect((await amounts())[0]).toBe(5)
      await page.screenshot({ path: join(shots, `phone-${lang ?? locale}-after.png`), fullPage: true })
      expect(await axeOf(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
    } finally {
      await context.close()
    }
  })

  test("On a phone, a reply of JSON is indented, and calls of the owner's tools are no reply", async () => {
    const ref = "reader"
    const schema = { type: "object", properties: { city: { const: "Paris" } }, required: ["city"] }
    const sent = { space, end_user_ref: ref }
    const format = { type: "json_schema", name: "place", schema }
    await send("POST", "/v1/turns?wait=30", { ...sent, text: "Where?", response_format: format })
    const tools = [{ name: "find", input_schema: { type: "object" } }]
    const { calls } = await send("POST", "/v1/turns?wait=30", {
      ...sent,
      text: "[call find {}]\n[reply Found.]",
      tools,
    })
    await send("POST", "/v1/turns?wait=30", { ...sent, results: [{ id: calls[0].id, output: "Yes." }] })
    const { url } = await send("POST", `/v1/end-users/${ref}/portal-sessions`, { scopes: ["turns"], lang: "en" })
    const context = await browser().newContext({ viewport: { width: 390, height: 844 } })
    try {
      const page = await context.newPage()
      await page.goto(url)
      const rows = page.getByRole("region", { name: "Requests" }).getByRole("listitem")
      const texts = async (nth: number) => {
        await rows.nth(nth).getByRole("button").click()
        const fields = rows.nth(nth).locator("dd")
        await fields.nth(1).waitFor()
        return fields.allTextContents()
      }
      expect(await texts(0)).toEqual(["Without text", "Found."])
      expect(await texts(1)).toEqual([expect.stringMatching("find"), "No reply."])
      expect(await texts(2)).toEqual(["Where?", '{\n  "city": "Paris"\n}'])
      await page.screenshot({ path: join(shots, "phone-json.png"), fullPage: true })
      expect(await axeOf(page)).toEqual([])
    } finally {
      await context.close()
    }
  })

  test.each([
    {
      locale: "de-DE",
      lang: undefined,
      title: "Ihre Angaben",
      save: "Speichern",
      saved: "Ihre Angaben wurden gespeichert.",
    },
    { locale: "en-US", lang: "ja", title: "お客様の情報", save: "保存", saved: "情報を保存しました。" },
  ])("On a phone, in $locale with lang $lang, an end user changes their profile", async (look) => {
    const { locale, lang, title, save, saved } = look
    const ref = `facts-${locale}`
    await send("PUT", `/v1/end-users/${ref}/profile`, { profile: { name: "Ada", news: true, plan: "gold" } })
    const { url } = await send("POST", `/v1/end-users/${ref}/portal-sessions`, {
      scopes: ["profile"],
      profile_keys: ["name", "time_zone", "news"],
      lang,
    })
    const context = await browser().newContext({
      locale,
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    try {
      const page = await context.newPage()
      await page.goto(url)
      const part = page.getByRole("region", { name: title })
      await part.getByLabel("Name").fill("Ada Lovelace")
      await part.getByLabel("Time zone").fill("Mars/Base")
      await part.getByRole("button", { name: save }).click()
      await part.locator(".warn").waitFor()
      expect(await axeOf(page)).toEqual([])
      await part.getByLabel("Time zone").fill("Europe/London")
      await part.getByLabel("News").uncheck()
      await part.getByRole("button", { name: save }).click()
      await part.getByText(saved).waitFor()
      await page.screenshot({ path: join(shots, `phone-${lang ?? locale}-profile.png`), fullPage: true })
      expect(await axeOf(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
      const { profile } = await send("GET", `/v1/end-users/${ref}/profile`)
      expect(profile).toEqual({ name: "Ada Lovelace", news: false, plan: "gold", time_zone: "Europe/London" })
    } finally {
      await context.close()
    }
  })
})
