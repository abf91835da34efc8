import type { Browser, Page } from "playwright-core"
import { findChromium, launchChromium } from "../../scripts/browser.ts"
import { npmStart, type Started } from "./npm-start.ts"

/** True if a browser is installed. Otherwise the tests of the web app are skipped, with a message. */
export const hasBrowser = findChromium() !== undefined
if (!hasBrowser)
  console.log("Skipped: there is no Chromium. Install one (apt-get install chromium), or name it in CHROMIUM.")

/** As long as the limits of the tests: it only ends what hangs. */
const PATIENCE_MS = 300_000

/** The service of a new developer and a browser. */
export interface WebApp {
  service: Started
  /** A page that is signed in as a user of the demo, on their first page. */
  signIn(name: string, size?: { width?: number; height?: number }): Promise<Page>
  stop(): Promise<void>
}

export async function openWebApp(): Promise<WebApp> {
  let browser: Browser | undefined
  const [service] = await Promise.all([npmStart(), launchChromium().then((launched) => (browser = launched))])
  return {
    service,
    async signIn(name, { width = 1440, height = 900 } = {}) {
      const context = await (browser as Browser).newContext({ viewport: { width, height } })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(`${service.sign_in_url}?as=${encodeURIComponent(name)}`)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
      return page
    },
    async stop() {
      await Promise.all([browser?.close(), service.stop()])
    },
  }
}

/** Creates a key in the open page of keys or first steps. Returns its value, and the number of clicks. */
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
