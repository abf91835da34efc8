import type { Browser, BrowserContext, Page } from "playwright-core"
import { launchChromium } from "../../scripts/browser.ts"
import { npmStart, type Started } from "./npm-start.ts"

/** Long, so that a slow machine fails no test. It only ends tests that hang. */
const PATIENCE_MS = 60_000

export interface WebApp {
  service: Started
  /** A signed-in person with a browser of their own: the demo's owner, or the user of this name. */
  signIn(name?: string): Promise<Person>
  stop(): Promise<void>
}

/** A signed-in person: their page, and what the API answers them. */
export interface Person {
  page: Page
  context: BrowserContext
  origin: string
  /** The JSON of a request of this person's session. */
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
  api(method: string, path: string, data?: unknown): Promise<any>
}

/** Starts the service and a browser. */
export async function startWebApp(): Promise<WebApp> {
  const [service, browser] = await Promise.all([npmStart(), launchChromium()])
  return {
    service,
    signIn: (name) => signIn({ service, browser, name }),
    async stop() {
      await Promise.all([browser.close(), service.stop()])
    },
  }
}

interface Entering {
  service: Started
  browser: Browser
  name: string | undefined
}

async function signIn({ service, browser, name }: Entering): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  // A question of the browser itself, before it leaves a page with unsaved input.
  page.on("dialog", (dialog) => void dialog.accept())
  await page.goto(`${service.sign_in_url}${name ? `?as=${encodeURIComponent(name)}` : ""}`)
  const { origin } = new URL(page.url())
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
  return {
    page,
    context,
    origin,
    async api(method, path, data) {
      const answer = await context.request.fetch(origin + path, { method, data, headers: { origin } })
      if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
      return answer.json()
    },
  }
}

/** Lets the next request to `METHOD path` reach the service, and loses its answer. */
export async function loseAnswer(page: Page, request: string): Promise<void> {
  const [method, path] = request.split(" ")
  let isLost = false
  await page.route(`**${path}`, async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback()
    isLost = true
    await route.fetch()
    await route.abort("connectionreset")
  })
}

/** The keys of the requests to `METHOD path` that the page has sent. */
export function idempotencyKeysOf(page: Page, request: string): string[] {
  const [method, path = ""] = request.split(" ")
  const keys: string[] = []
  page.on("request", (sent) => {
    if (sent.method() !== method || new URL(sent.url()).pathname !== path) return
    keys.push(sent.headers()["idempotency-key"] ?? "none")
  })
  return keys
}
