import { join } from "node:path"
import type { Browser, Locator, Page } from "playwright-core"

export interface Answered {
  question: string
  /** Clicks and fields that were filled in, from Home or Overview on. */
  acts: number
  seconds: number
  /** The longest request of the API, in milliseconds. */
  apiMs: number
  answer: string
}

/** The acts of a user who looks for an answer. Waiting and reading are no acts. */
export interface Asking {
  page: Page
  /** Opens a page by its link in the navigation, and its section first if that is closed. */
  open(name: string, section?: string): Promise<void>
  click(target: Locator): Promise<void>
  fill(target: Locator, text: string): Promise<void>
  select(target: Locator, option: string | { label: string }): Promise<void>
  /** Sets a filter of the menu "Filter". */
  filter(label: string, option: string): Promise<void>
}

/** Objects of the busy account that the questions are about. */
export interface Matters {
  /** The customer with the largest spend. */
  dearest: string
  /** A customer whose turn waits for its cap. */
  capped: string
  /** The id of the request of an ended turn. */
  request: string
  turn: string
  /** The name of an API key. */
  key: string
}

export interface JourneyQuestion {
  question: string
  /** Leads to the answer, and reads it. An empty text is no answer. */
  find(asking: Asking, matters: Matters): Promise<string>
}

export interface Asker {
  browser: Browser
  signIn: string
  /** The name of the user who asks. */
  as: string
  matters: Matters
}

/** Long, so that a slow machine fails no question. */
const PATIENCE_MS = 60_000

/** Asks one question in a new tab, from Home or Overview on. */
export async function ask(
  { browser, signIn, as, matters }: Asker,
  { question, find }: JourneyQuestion,
): Promise<Answered> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  try {
    context.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`${signIn}?as=${encodeURIComponent(as)}`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: /^(Home|Overview)$/, level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
    await page.evaluate("performance.clearResourceTimings()")
    const started = performance.now()
    let acts = 0
    const act = async (done: Promise<unknown>) => {
      acts++
      await done
    }
    const pages = page.getByRole("navigation", { name: "Pages" }).first()
    const asking: Asking = {
      page,
      async open(name, section) {
        const closed = section && pages.getByRole("button", { name: section, exact: true, expanded: false })
        if (closed && (await closed.count()) > 0) await act(closed.click())
        await act(pages.getByRole("link", { name, exact: true }).click())
        await page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
      },
      click: (target) => act(target.click()),
      fill: (target, text) => act(target.fill(text)),
      select: (target, option) => act(target.selectOption(option)),
      async filter(label, option) {
        await act(page.getByRole("button", { name: "Filter", exact: true }).click())
        await act(page.getByRole("combobox", { name: label, exact: true }).selectOption(option))
        await page.keyboard.press("Escape")
        await page.getByRole("button", { name: `Remove the filter ${label}` }).waitFor()
      },
    }
    const answer = await find(asking, matters)
    const seconds = (performance.now() - started) / 1000
    const apiMs = await page.evaluate<number>(
      `Math.max(0, ...performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/")).map(({ duration }) => duration))`,
    )
    return { question, acts, seconds, apiMs, answer: answer.replace(/\s+/g, " ").trim() }
  } catch (error) {
    await page.screenshot({ path: join("dist", "journeys", `${question.replace(/\W+/g, "-")}.png`) }).catch(() => null)
    throw new Error(`“${question}” has no answer: ${error instanceof Error ? error.message : error}`)
  } finally {
    await context.close()
  }
}

export const describeAnswer = ({ question, acts, seconds, apiMs, answer }: Answered) =>
  `${String(acts).padStart(2)} acts ${seconds.toFixed(1).padStart(5)} s, API at most ${apiMs.toFixed(0).padStart(4)} ms  ${question} ${answer.slice(0, 120)}`
