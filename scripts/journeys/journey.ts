import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { axeOf } from "../prove-page.ts"
import { Keyboard } from "./keyboard.ts"
import type { OtherServer } from "./other-server.ts"

export interface JourneyWorld {
  keyboard: Keyboard
  /** Of the web app. */
  origin: string
  /** Differs in each run: for names of what it makes. */
  stamp: string
  /** The server that gets the service's emails, if it has one. */
  mail: OtherServer | null
  /** An answer that the browser reports as an error, and that belongs to the journey, such as a 412. */
  expects(status: number): void
}

export interface Journey {
  name: string
  /** Who goes it, as the sign-in address names them; nobody: its owner. */
  as?: string | ((stamp: string) => string)
  /** Only where the service sends its emails to us. */
  needsMail?: true
  go(world: JourneyWorld): Promise<void>
}

export interface Gone {
  name: string
  seconds: number
  presses: number
  /** Empty: it went as it should. */
  wrong: string[]
}

const TARGET = join("dist", "journeys")

/** Goes a journey in a browser that knows nothing yet, from the sign-in address on. Leaves a screenshot when something is wrong. */
export async function goJourney(
  browser: Browser,
  { name, as, go }: Journey,
  { signIn, stamp, mail = null }: { signIn: string; stamp: string; mail?: OtherServer | null },
): Promise<Gone> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const wrong: string[] = []
  const expected = new Set<number>()
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const page = await context.newPage()
  watch(page, wrong, expected)
  const keyboard = await Keyboard.at(page)
  const person = typeof as === "function" ? as(stamp) : as
  const started = performance.now()
  try {
    await page.goto(person ? `${signIn}?as=${encodeURIComponent(person)}` : signIn)
    await keyboard.has("button", "Sign in")
    const { origin } = new URL(page.url())
    await keyboard.press("Enter")
    await keyboard.sees("heading", /^(Home|Overview)$/)
    await go({ keyboard, origin, stamp, mail, expects: (status) => expected.add(status) })
    wrong.push(...(await axeOf(page)))
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.message : error))
  }
  const seconds = (performance.now() - started) / 1000
  if (wrong.length > 0) {
    await mkdir(TARGET, { recursive: true })
    await page.screenshot({ path: join(TARGET, `${name.replace(/\W+/g, "-")}.png`) }).catch(() => null)
  }
  await context.close()
  return { name, seconds, presses: keyboard.presses, wrong }
}

/** Nothing may be thrown, refused by the page's policy, or said in the console as an error. */
function watch(page: Page, wrong: string[], expected: Set<number>): void {
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (message.type() !== "error") return
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    if (!expected.has(status)) wrong.push(`console: ${message.text()} ${message.location().url}`)
  })
}
