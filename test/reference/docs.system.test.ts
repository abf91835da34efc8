import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "../../scripts/browser.ts"
import { axeOf } from "../../scripts/prove-page.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { hasBrowser } from "../harness/web-app.ts"

const run = promisify(execFile)

describe.skipIf(!hasBrowser)("The docs and the sign-in pages in a browser", () => {
  let service: Started
  let browser: Browser

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([npmStart(), launchChromium()])
  })
  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  /** Opens a page in a new context, and collects errors of the console. */
  async function opened(path: string, options: Parameters<Browser["newContext"]>[0] = {}) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const wrong: string[] = []
    page.on("pageerror", ({ message }) => wrong.push(message))
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()))
    await page.goto(service.base_url + path)
    return { context, page, wrong }
  }

  /** Signs the demo's owner in, so that the proof of identity is fresh. */
  async function signIn(context: BrowserContext): Promise<void> {
    const page = await context.newPage()
    await page.goto(String(service.sign_in_url))
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(/\/home/)
    await page.close()
  }

  const codeOf = (page: Page, lang: string) =>
    page.locator(`.samples figure[data-lang="${lang}"] code`).first().textContent()

  test("Without scripts a guide shows every language, and the navigation leads to every page", async () => {
    const { context, page } = await opened("/docs/webhooks", { javaScriptEnabled: false })
    for (const text of ["verifyWebhook(", "verify_webhook(", "openssl dgst -sha256"])
      await expect.poll(() => page.getByText(text).first().isVisible()).toBe(true)
    expect(await codeOf(page, "bash")).toContain("$TURNPIKE_BASE_URL/v1/webhooks")
    await page.getByRole("navigation").getByRole("link", { name: "Errors", exact: true }).click()
    expect(new URL(page.url()).pathname).toBe("/docs/errors")
    await page.getByRole("link", { name: "Everything on one page" }).click()
    for (const text of ["Size of a file", "INSUFFICIENT_CREDITS", "Verify a webhook"])
      expect(await page.getByText(text).count(), text).toBeGreaterThan(0)
    await context.close()
  })

  test("The file /llms.txt is read with curl, and pages that it names are complete without scripts", async () => {
    const { stdout: list } = await run("curl", ["-sSf", `${service.base_url}/llms.txt`])
    expect(list).toMatch(/^# Turnpike\n\n> /)
    const pages = {
      "/docs/openai": ["The first response", "safety_identifier", "X-Should-Retry"],
      "/docs/assistants": ["What becomes what", "Three things have no relative"],
      "/docs/compare": ["LangGraph Platform", "Building it yourself"],
    }
    for (const [path, texts] of Object.entries(pages)) {
      expect(list).toContain(`](${path}.md)`)
      const { stdout: markdown } = await run("curl", ["-sSf", `${service.base_url}${path}.md`])
      const { context, page, wrong } = await opened(path, { javaScriptEnabled: false })
      for (const text of texts) {
        expect(markdown).toContain(text)
        await expect.poll(() => page.locator("main").getByText(text).first().isVisible(), { message: text }).toBe(true)
      }
      expect(wrong).toEqual([])
      await context.close()
    }
  })

  test("The search opens by keyboard, shows the answer first, and Enter leads to it", async () => {
    const { context, page, wrong } = await opened("/docs")
    await page.keyboard.press("/")
    await page.getByRole("searchbox").fill("file size")
    const first = page.getByRole("dialog").getByRole("listitem").first()
    await expect.poll(() => first.textContent()).toContain("100 MiB")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/docs\/limits#size-of-a-file$/)
    await page.keyboard.press("Control+k")
    await page.getByRole("searchbox").fill("402")
    await page.keyboard.press("ArrowDown")
    await expect.poll(() => first.textContent()).toContain("INSUFFICIENT_CREDITS")
    expect(wrong).toEqual([])
    await context.close()
  })

  test("A tab shows its language on every page, and the browser's own search finds the others", async () => {
    const { context, page } = await opened("/docs/webhooks")
    await page.getByRole("button", { name: "Python" }).first().click()
    const shown = () =>
      page
        .locator(".samples figure:not([hidden])")
        .evaluateAll((all) => (all as unknown as { dataset: { lang: string } }[]).map(({ dataset }) => dataset.lang))
    expect(new Set(await shown())).toEqual(new Set(["python"]))
    await page.goto(`${service.base_url}/docs/start`)
    expect(await shown()).toEqual(["python"])
    const hidden = page.locator('.samples figure[data-lang="bash"]')
    expect(await hidden.getAttribute("hidden")).toBe("until-found")
    await context.close()
  })

  test("Samples contain the address of the server, and each copy has a new idempotency key", async () => {
    const { context, page } = await opened("/docs/operations/turns")
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.getByRole("button", { name: "curl" }).first().click()
    const copies: string[] = []
    for (let n = 0; n < 2; n++) {
      await page.locator(".samples figure:not([hidden])").first().getByRole("button").click()
      await expect.poll(async () => page.evaluate<string>("navigator.clipboard.readText()")).not.toBe(copies[0] ?? "")
      copies.push(await page.evaluate<string>("navigator.clipboard.readText()"))
    }
    const keys = copies.map((text) => /Idempotency-Key: ([0-9a-f-]{36})"/.exec(text)?.[1])
    expect(new Set(keys).size).toBe(2)
    expect(keys).not.toContain(undefined)
    expect(copies[0]).toContain(`"${service.base_url}/v1/turns"`)
    expect(copies[0]).toContain("Bearer $TURNPIKE_API_KEY")
    await context.close()
  })

  test("For a signed-in reader the samples contain a new test key and a test space, and run as pasted", async () => {
    const { context, page, wrong } = await opened("/docs")
    await signIn(context)
    await page.goto(`${service.base_url}/docs/billing`)
    await page.getByRole("button", { name: "Use my own test key" }).click()
    await expect.poll(() => codeOf(page, "bash")).toMatch(/Bearer turnpike_test_\w+"/)
    const code = String(await codeOf(page, "bash"))
    expect(code).toMatch(/"space":"spc_\w+"/)
    expect(await page.content()).not.toContain("_live_")
    const { stdout } = await run("sh", ["-euc", code], { env: { PATH: process.env.PATH } })
    expect(JSON.parse(stdout.slice(stdout.indexOf("{")))).toMatchObject({ state: "queued", test: true })
    await page.goto(`${service.base_url}/docs/start`)
    await expect.poll(() => codeOf(page, "typescript")).toMatch(/apiKey: "turnpike_test_\w+"/)
    expect(wrong).toEqual([])
    await page.request.post(`${service.base_url}/api/auth/logout`, { headers: { origin: service.base_url } })
    await page.reload()
    await expect.poll(() => page.evaluate<string | null>("sessionStorage.getItem('docs.test-key')")).toBe(null)
    expect(await codeOf(page, "typescript")).toContain("process.env.TURNPIKE_API_KEY")
    await context.close()
  })

  test.each(["/docs", "/docs/webhooks", "/docs/errors", "/docs/limits", "/docs/operations/turns", "/sign-in"])(
    "Nothing moves while %s loads, and axe finds nothing serious in both themes and three widths",
    async (path) => {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [390, 1024, 1440]) {
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
          const page = await context.newPage()
          await page.addInitScript(`window.shift = 0
            new PerformanceObserver((list) => {
              for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value
            }).observe({ type: "layout-shift", buffered: true })`)
          await page.goto(service.base_url + path)
          await page.waitForLoadState("networkidle")
          expect(await page.evaluate<number>("window.shift"), `${width} ${colorScheme}`).toBeLessThan(0.02)
          expect(await axeOf(page), `${width} ${colorScheme}`).toEqual([])
          expect(
            await page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
          ).toBe(0)
          await context.close()
        }
      }
    },
  )

  test("The sign-in page shows only the configured ways, and says who creates accounts", async () => {
    const { context, page, wrong } = await opened("/sign-in")
    await page.getByText("An operator of this service creates it").waitFor()
    expect(await page.getByText("identity provider").count()).toBe(0)
    expect(await page.getByText("messaging app").count()).toBe(0)
    expect(await page.getByRole("link", { name: "Forgot your password?" }).count()).toBe(0)
    await page.goto(`${service.base_url}/reset-password`)
    await page.getByText("This service sends no emails.").waitFor()
    expect(await page.getByRole("textbox").count()).toBe(0)
    expect(wrong).toEqual([])
    await context.close()
  })

  test("A deep link without a session asks to sign in, and only a browser whose session ended is told so", async () => {
    const { context, page } = await opened("/turns?state=failed")
    await page.getByText("Sign in to open this page.").waitFor()
    expect(await page.getByText("session has ended").count()).toBe(0)
    await signIn(context)
    const { value = "" } = (await context.cookies()).find(({ name }) => name === "token") ?? {}
    await page.request.post(`${service.base_url}/api/auth/logout`, { headers: { origin: service.base_url } })
    await context.addCookies([{ name: "token", value, url: service.base_url }])
    await page.goto(`${service.base_url}/turns?state=failed`)
    await page.getByText("Your session has ended. Sign in to continue.").waitFor()
    await context.close()
  })

  test("A used or incomplete link, and a failed provider login, say what happened and lead to the sign-in page", async () => {
    const { context, page } = await opened("/magic#token=used")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor()
    await page.goto(`${service.base_url}/magic`)
    await page.getByRole("heading", { name: "This link is not complete" }).waitFor()
    await page.goto(`${service.base_url}/mini-app`)
    await page.getByRole("heading", { name: "Open this page in the app" }).waitFor()
    await page.goto(`${service.base_url}/reset-password#token=used`)
    await page.locator('input[name="new_password"]').fill("nine tall cranes")
    await page.getByRole("button", { name: "Set the password" }).click()
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor()
    await page.goto(`${service.base_url}/api/auth/oauth-login/callback?state=x`)
    await page.getByRole("heading", { name: "This way to sign in is not set up" }).waitFor()
    expect(await axeOf(page)).toEqual([])
    await page.getByRole("link", { name: "Sign in another way" }).click()
    await page.waitForURL(/\/sign-in$/)
    await context.close()
  })
})
