import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { axeOf } from "../prove-page.ts"
import { Keyboard } from "./keyboard.ts"
import type { OtherServer } from "./other-server.ts"

export interface JourneyWorld {
  keyboard: Keyboard
  /** The origin of the web app. */
  origin: string
  /** A text that is different in each run, for the names of created objects. */
  stamp: string
  /** The server that receives the service's emails, if there is one. */
  mail: OtherServer | null
  /** Declares an error status that belongs to the journey, such as 412. */
  expects(status: number): void
}

export interface Journey {
  name: string
  /** The user of the journey, as `?as=` names it. Default: the demo's owner. */
  as?: string | ((stamp: string) => string)
  /** True if the journey needs the emails of the service. */
  needsMail?: true
  go(world: JourneyWorld): Promise<void>
}

export interface Gone {
  name: string
  seconds: number
  presses: number
  /** The faults; empty if the journey passed. */
  wrong: string[]
}

const TARGET = join("dist", "journeys")

/** Runs a journey in a new browser context, from the sign-in address on. Takes a screenshot if there is a fault. */
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

/** Adds thrown errors, violations of the page's security policy and errors in the console to `wrong`. */
function watch(page: Page, wrong: string[], expected: Set<number>): void {
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (message.type() !== "error") return
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    if (!expected.has(status)) wrong.push(`console: ${message.text()} ${message.location().url}`)
  })
}
