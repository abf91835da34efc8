import type { Browser, BrowserContext, Page } from "playwright-core"
import { findChromium, launchChromium } from "../../scripts/browser.ts"
import type { JsonBody } from "./answers.ts"
import { npmStart, type Started } from "./npm-start.ts"

/** True if a browser is installed. Otherwise the tests of the web app are skipped, with a message. */
export const hasBrowser = findChromium() !== undefined
if (!hasBrowser)
  console.log("Skipped: there is no Chromium. Install one (apt-get install chromium), or name it in CHROMIUM.")

/** Long, so that a slow machine fails no test. It only ends tests that hang. */
const PATIENCE_MS = 60_000

export interface WebApp {
  service: Started
  /** A signed-in person with a browser of their own: the demo's owner, or the user of this name. */
  signIn(name?: string, size?: Size): Promise<Person>
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

/** Starts the service and a browser with these arguments. */
export async function startWebApp(args?: string[]): Promise<WebApp> {
  const [service, browser] = await Promise.all([npmStart(), launchChromium(args)])
  return {
    service,
    signIn: (name, size) => signIn({ service, browser, name, size }),
    async stop() {
      await Promise.all([browser.close(), service.stop()])
    },
  }
}

interface Size {
  width: number
  height: number
}

interface Entering {
  service: Started
  browser: Browser
  name: string | undefined
  size: Size | undefined
}

async function signIn({ service, browser, name, size }: Entering): Promise<Person> {
  const context = await browser.newContext({ locale: "en-US", viewport: size ?? { width: 1440, height: 900 } })
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

/** Sends requests with this key, as the customer's server does, and returns their JSON. */
export const sendWith =
  ({ base_url }: Pick<Started, "base_url">, key: string) =>
  async <Answer = JsonBody>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(base_url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": crypto.randomUUID(),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
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

/** Creates a key in the open page of keys or first steps. Returns its value. */
export async function createKeyOnPage(page: Page, name: string): Promise<string> {
  await page
    .getByRole("button", { name: /^Create (a|another) key$/ })
    .first()
    .click()
  await page.getByLabel("Name").fill(name)
  await page.getByRole("button", { name: "Create the key" }).click()
  const variable = await page.getByRole("region", { name: "The key as a variable" }).innerText()
  await page.getByRole("button", { name: "I have saved it" }).click()
  const value = /TURNPIKE_API_KEY=(\S+)/.exec(variable)?.[1]
  if (!value) throw new Error(`The dialog shows no key: ${variable}`)
  return value
}
