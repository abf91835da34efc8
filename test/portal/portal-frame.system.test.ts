import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { BrowserContext, Frame, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { readUntilItWaits, refundText, refundTool } from "../harness/waiting-tools.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const SHOP = "https://shop.example.com"
const ADA = "ada"
/** The code of the guide that shows the portal in a frame. */
const [, SNIPPET = ""] = /```html\n([\s\S]*?)```/.exec(readFileSync("src/reference/guides/portal.md", "utf8")) ?? []
const LOOKS = [
  { mode: "light", width: 1024, accent: "#0a6b5e" },
  { mode: "dark", width: 1024, accent: "#ffb454" },
  { mode: "light", width: 390, accent: "#0a6b5e" },
  { mode: "dark", width: 390, accent: "#ffb454" },
  { mode: "auto", width: 390, accent: "#0a6b5e" },
] as const

describe.skipIf(!hasBrowser)("The portal in a page of another site", () => {
  let app: WebApp
  let person: Person
  let shots: string
  let send: ReturnType<typeof sendWith>

  const session = (ref: string, theme: object = {}, more: object = {}) =>
    send("POST", `/v1/end-users/${ref}/portal-sessions`, {
      scopes: ["usage", "turns", "limits", "approvals"],
      allowed_origins: [SHOP],
      return_url: `${SHOP}/account`,
      theme,
      ...more,
    })

  /** The code of the guide for this service. */
  const snippet = () => SNIPPET.replace("https://api.example.com", new URL(app.service.base_url).origin)

  /** A page of the customer with the code of the guide. `sessions` counts the sessions it has asked for. */
  async function openShop(
    context: BrowserContext,
    make: () => Promise<{ url: string }>,
    origin = SHOP,
  ): Promise<{ page: Page; frame: () => Frame; sessions: () => number }> {
    let sessions = 0
    const page = await context.newPage()
    await page.route(`${origin}/**`, async (route) => {
      if (!route.request().url().endsWith("/portal-session")) {
        return route.fulfill({
          contentType: "text/html",
          body: `<!doctype html><html lang="en"><title>Shop</title><body style="margin:0;background:#cbd5d1"><h1>Shop</h1>${snippet()}`,
        })
      }
      sessions++
      return route.fulfill({ json: await make() })
    })
    await page.goto(`${origin}/account`)
    const frame = () => {
      const found = page.frames().find((one) => one !== page.mainFrame())
      if (!found) throw new Error("the page has no frame")
      return found
    }
    return { page, frame, sessions: () => sessions }
  }

  const browser = () => person.context.browser() as NonNullable<ReturnType<BrowserContext["browser"]>>

  async function inShop<Answer>(
    options: Parameters<ReturnType<typeof browser>["newContext"]>[0],
    use: (context: BrowserContext) => Promise<Answer>,
  ): Promise<Answer> {
    const context = await browser().newContext(options)
    context.setDefaultTimeout(60_000)
    try {
      return await use(context)
    } finally {
      await context.close()
    }
  }

  beforeAll(async () => {
    shots = process.env.PORTAL_SHOTS ?? (await makeTemporaryDirectory("portal"))
    await mkdir(shots, { recursive: true })
    // The service is on this machine, and a browser asks before a page of another site may show it.
    app = await startWebApp(["--disable-features=LocalNetworkAccessChecks"])
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
    const { space_id } = await send("POST", "/v1/spaces", { title: "Shop", tools: [refundTool({ request: null })] })
    await send("PUT", `/v1/end-users/${ADA}/limits`, { daily_usd: 0.5, monthly_usd: 5 })
    for (const text of ["[reply Your order has shipped.]", "[reply It arrives on Monday.]"]) {
      const { turn_id } = await send("POST", "/v1/turns", { space: space_id, end_user_ref: ADA, text })
      while ((await send("GET", `/v1/turns/${turn_id}?wait=1`)).state !== "done");
    }
    const asking = { space: space_id, end_user_ref: ADA, text: refundText(80) }
    const { turn_id } = await send("POST", "/v1/turns", asking)
    await readUntilItWaits(() => send("GET", `/v1/turns/${turn_id}?wait=1`))
  })
  afterAll(() => app?.stop())

  test.each(LOOKS)("The portal has no fault of axe and no overflow: $mode at $width pixels", async (look) => {
    const { mode, width, accent } = look
    await inShop(
      { viewport: { width, height: 900 }, colorScheme: mode === "auto" ? "dark" : "light" },
      async (context) => {
        const { page, frame } = await openShop(context, () => session(ADA, { accent, mode }))
        const said: string[] = []
        page.on("console", (message) => message.type() === "error" && said.push(message.text()))
        await page.frameLocator("iframe").getByRole("heading", { name: "Requests" }).waitFor()
        await page.frameLocator("iframe").getByText("Your order has shipped").first().waitFor()
        // The frame is as high as the page in it.
        await expect
          .poll(() => frame().evaluate<number>("document.documentElement.scrollHeight - innerHeight"))
          .toBeLessThanOrEqual(0)
        expect(await frame().evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(
          0,
        )
        // A browser paints only the visible part of a frame of another site.
        await page.setViewportSize({
          width,
          height: await page.evaluate<number>("document.documentElement.scrollHeight"),
        })
        await page.screenshot({ path: join(shots, `portal-${mode}-${width}.png`) })
        expect(await axeOf(frame())).toEqual([])
        expect(said).toEqual([])
        expect(await frame().evaluate("[document.cookie, localStorage.length, sessionStorage.length]")).toEqual([
          "",
          0,
          0,
        ])
        expect(frame().url()).not.toContain("#")
      },
    )
  })

  test("An end user reads a turn and denies a call by the keyboard alone", async () => {
    await inShop({}, async (context) => {
      const { page, frame } = await openShop(context, () => session(ADA))
      const portal = page.frameLocator("iframe")
      await portal.getByRole("button", { name: "Deny" }).focus()
      await page.keyboard.press("Enter")
      await portal.getByText("You denied refund.").waitFor()
      await portal.getByRole("button", { name: "Deny" }).waitFor({ state: "detached" })
      const turn = portal.getByRole("button", { name: /Your order has shipped/ })
      const focused = () => frame().evaluate<string>("document.activeElement?.textContent ?? ''")
      expect(await focused(), "the focus is where the decision was").toBe("You denied refund.")
      for (let presses = 0; presses < 20; presses++) {
        if ((await focused()).includes("Your order has shipped")) break
        await page.keyboard.press("Tab")
      }
      await page.keyboard.press("Space")
      expect(await turn.getAttribute("aria-expanded")).toBe("true")
      await portal.locator("dd", { hasText: /^Your order has shipped\.$/ }).waitFor()
    })
  })

  test("A page that reloads asks its parent for a new session, and shows it", async () => {
    await inShop({}, async (context) => {
      const { page, frame, sessions } = await openShop(context, () => session(ADA))
      const ready = () => page.frameLocator("iframe").getByRole("heading", { name: "Requests" }).waitFor()
      await ready()
      expect(sessions()).toBe(1)
      await frame().evaluate("location.reload()")
      await expect.poll(sessions).toBe(2)
      await ready()
    })
  })

  test("A page of another origin cannot show the portal in a frame", async () => {
    await inShop({}, async (context) => {
      const { page, frame } = await openShop(context, () => session(ADA), "https://evil.example.com")
      await expect.poll(() => frame().url()).toMatch(/^chrome-error:/)
      await page.screenshot({ path: join(shots, "portal-foreign.png") })
    })
  })

  test("The page says that nothing is there yet, that a part failed, and that it could not be loaded", async () => {
    await inShop({ viewport: { width: 390, height: 800 } }, async (context) => {
      const { page } = await openShop(context, () => session("nobody"))
      const portal = page.frameLocator("iframe")
      for (const text of ["Nothing was charged", "No limit applies", "You have sent no requests yet"])
        await portal.getByText(text).waitFor()
      await page.screenshot({ path: join(shots, "portal-empty-390.png"), fullPage: true })
    })
    await inShop({ viewport: { width: 390, height: 800 } }, async (context) => {
      let isFailing = true
      await context.route("**/portal/api/overview", (route) =>
        isFailing ? route.fulfill({ status: 500, json: {} }) : route.continue(),
      )
      const { page, frame } = await openShop(context, () => session(ADA))
      const portal = page.frameLocator("iframe")
      await portal.getByText("Your usage could not be loaded.").waitFor()
      await page.screenshot({ path: join(shots, "portal-failing-390.png"), fullPage: true })
      expect(await axeOf(frame())).toEqual([])
      isFailing = false
      await portal.getByRole("button", { name: "Try again" }).click()
      await portal.getByRole("heading", { name: "Spend" }).waitFor()
    })
    await inShop({ viewport: { width: 390, height: 800 } }, async (context) => {
      let isFailing = true
      await context.route("**/portal/api/token", (route) => (isFailing ? route.abort() : route.continue()))
      const { page, sessions } = await openShop(context, () => session(ADA))
      const portal = page.frameLocator("iframe")
      await portal.getByText("This page could not be loaded").waitFor()
      isFailing = false
      await portal.getByRole("button", { name: "Try again" }).click()
      await portal.getByRole("heading", { name: "Requests" }).waitFor()
      expect(sessions()).toBe(2)
    })
  })

  test("The web app shows the code of the guide with its own origin", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/end-users/${ADA}/portal`)
    const code = page.locator("pre", { hasText: "<iframe" })
    expect((await code.textContent())?.trim()).toBe(SNIPPET.replace("https://api.example.com", origin).trim())
  })

  test("The owner sees the portal of a customer in the web app, and a refused accent at its field", async () => {
    const { page, origin } = person
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${origin}/end-users/${ADA}/portal?scopes=usage,turns,limits,approvals`)
      const portal = page.frameLocator("iframe")
      await portal.getByRole("heading", { name: "Requests" }).waitFor()
      await page.screenshot({ path: join(shots, `owner-${width}.png`), fullPage: true })
      expect(await axeOf(page)).toEqual([])
    }
    await page.getByLabel("Accent").fill("#ffcc00")
    await page.getByRole("button", { name: "Show the preview" }).click()
    await page
      .getByText(/has a contrast of .* The nearest shade is #/)
      .first()
      .waitFor()
    await page.getByLabel("Accent").fill("#8a2be2")
    await page.getByRole("button", { name: "Show the preview" }).click()
    await page.frameLocator("iframe").getByRole("heading", { name: "Requests" }).waitFor()
    expect(new URL(page.url()).searchParams.get("accent")).toBe("#8a2be2")
    await page.getByText('"accent": "#8a2be2"').first().waitFor()
  })
})
