import type { Browser, Page } from "playwright-core"
import { Keyboard } from "./keyboard.ts"
import { MANY } from "./many-spaces.ts"

/** The slowdown factor of the processor, to about the speed of a cheap phone. */
const SLOWER = 4
/** A page is quiet after this time without a long task. */
const QUIET_MS = 1_500

export interface Figure {
  what: string
  ms: number
  longestTaskMs: number
  /** The size of the transferred data. */
  kib: number
  firstPaintMs?: number
}

const NOTE_TASKS = `
  window.tasks = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.tasks.push({ startTime, duration })
  }).observe({ type: "longtask", buffered: true })
`

interface Task {
  startTime: number
  duration: number
}

interface Watched {
  page: Page
  /** Measures `act` by the page's clock, with all long tasks and transfers until the page is quiet. */
  measure(what: string, act: () => Promise<unknown>): Promise<Figure>
}

async function watched(browser: Browser): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(NOTE_TASKS)
  const session = await context.newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER })
  await session.send("Network.enable")
  let bytes = 0
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength))
  return {
    page,
    async measure(what, act) {
      bytes = 0
      const before = await page.evaluate<number>("performance.now()")
      const started = performance.now()
      await act()
      const ms = performance.now() - started
      await page.waitForTimeout(QUIET_MS)
      const tasks = await page.evaluate<Task[]>("window.tasks")
      const navigated = (await page.evaluate<number>("performance.now()")) < before + ms
      const own = tasks.filter(({ startTime }) => navigated || startTime > before)
      return { what, ms, kib: bytes / 1024, longestTaskMs: Math.max(0, ...own.map(({ duration }) => duration)) }
    },
  }
}

/** Measures the first visit of a page on a slow processor. */
async function opened(browser: Browser, what: string, address: string): Promise<Figure> {
  const { page, measure } = await watched(browser)
  const figure = await measure(what, async () => {
    await page.goto(address)
    await page.getByRole("heading", { level: 1 }).first().waitFor()
  })
  const [firstPaintMs, ms] = await page.evaluate<[number, number]>(`(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0
    return [paint, Math.max(paint, ...window.tasks.map(({ startTime, duration }) => startTime + duration))]
  })()`)
  await page.context().close()
  return { ...figure, ms, firstPaintMs }
}

/** Measures a list of very many spaces: opening it, paging, the last page, and filtering by title. */
async function longList(browser: Browser, signIn: string): Promise<Figure[]> {
  const { page, measure } = await watched(browser)
  const keyboard = await Keyboard.at(page)
  await page.goto(`${signIn}?as=${MANY.owner}`)
  await keyboard.enter("button", "Sign in")
  await keyboard.sees("heading", "Home")
  const shows = (title: string) => keyboard.sees("link", title)
  const [first, second] = ["Space 1", "Space 51"]
  const figures = [
    await measure("list of 50,000: open", async () => {
      await keyboard.go("spaces", "Spaces")
      await shows(first)
    }),
  ]
  await keyboard.enter("button", "Skip the 50 rows")
  await keyboard.to("button", "Next")
  figures.push(
    await measure("list of 50,000: next page", async () => {
      await keyboard.press("Enter")
      await shows(second)
    }),
    await measure("list of 50,000: scroll to the end of the page", async () => {
      await page.keyboard.press("End")
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    }),
    await measure("list of 50,000: last page, by its address", async () => {
      await page.goto(`${new URL(page.url()).origin}/spaces?offset=${MANY.spaces - 50}`)
      await shows(`Space ${MANY.spaces}`)
    }),
  )
  await keyboard.to("searchbox", "Title or id")
  figures.push(
    await measure("list of 50,000: filter", async () => {
      await keyboard.type("4999")
      await keyboard.press("Enter")
      await shows("Space 4999")
    }),
  )
  await page.context().close()
  return figures
}

/** All figures in the order of the output. */
export async function figuresOf(browser: Browser, signIn: string): Promise<Figure[]> {
  // The sign-in address redirects to the web app, which has another port.
  const led = await fetch(signIn, { redirect: "manual" })
  const { origin } = new URL(led.headers.get("location") ?? signIn)
  return [
    await opened(browser, "entry page, /", `${origin}/`),
    await opened(browser, "sign-in page", `${origin}/sign-in`),
    await opened(browser, "reference, /docs", `${origin}/docs`),
    await opened(browser, "guide, /docs/webhooks", `${origin}/docs/webhooks`),
    await opened(browser, "operations, /docs/operations/turns", `${origin}/docs/operations/turns`),
    ...(await longList(browser, signIn)),
  ]
}

export function printFigures(figures: readonly Figure[]): void {
  const columns = ["", "first paint ms", "ms", "longest task ms", "KiB"]
  const rows = figures.map(({ what, firstPaintMs, ms, longestTaskMs, kib }) => [
    what,
    firstPaintMs === undefined ? "" : firstPaintMs.toFixed(0),
    ...[ms, longestTaskMs, kib].map((figure) => figure.toFixed(0)),
  ])
  const widths = columns.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ")
  console.log(
    `On a processor ${SLOWER} times as slow; "ms" of a page is when it is interactive, otherwise when it is shown:`,
  )
  for (const row of [columns, ...rows]) console.log(line(row))
}
