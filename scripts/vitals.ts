import type { Browser } from "playwright-core"
import { type FirstLoad, firstLoad, MOST_REQUESTS, requestsText } from "./first-load.ts"

/** How much slower the processor is than this machine's. */
const SLOWER = 4
const RUNS = 3
/** The largest layout shift that is still good (https://web.dev/articles/cls). */
const MOST_SHIFT = 0.1
/** Ten pages of the web app and three guides. */
const PAGES = [
  "/home",
  "/playground",
  "/turns",
  "/end-users",
  "/usage",
  "/balance",
  "/keys",
  "/webhooks",
  "/spaces",
  "/account",
  "/docs/start",
  "/docs/webhooks",
  "/docs/errors",
]

interface Vitals {
  lcp: number
  cls: number
  kib: number
}

/** Scripts have no types of the browser, so this is a text. */
const OBSERVE = `window.vitals = { lcp: 0, cls: 0, kib: 0 }
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.vitals.lcp = entry.startTime
}).observe({ type: "largest-contentful-paint", buffered: true })
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.vitals.cls += entry.value
}).observe({ type: "layout-shift", buffered: true })
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.vitals.kib += entry.transferSize / 1024
}).observe({ type: "resource", buffered: true })`

/**
 * Measures the largest contentful paint (LCP), the cumulative layout shift (CLS) and the requests of pages on a
 * processor that is four times slower, without a browser cache. Prints the medians. Returns the number of pages with
 * too large a shift or too many requests.
 */
export async function measureVitals(browser: Browser, signIn: string): Promise<number> {
  const first = await browser.newContext()
  const page = await first.newPage()
  await page.goto(`${signIn}?as=Demo`)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL((url) => url.pathname !== "/magic")
  const { origin } = new URL(page.url())
  const storageState = await first.storageState()
  await first.close()
  let faults = 0
  for (const path of PAGES) {
    for (const width of [390, 1440]) {
      const runs: Vitals[] = []
      let load: FirstLoad | undefined
      for (let run = 0; run < RUNS; run++) {
        // The pages' policy forbids the script that waits for a paint.
        const context = await browser.newContext({ storageState, viewport: { width, height: 900 }, bypassCSP: true })
        const shown = await context.newPage()
        const session = await context.newCDPSession(shown)
        await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER })
        await shown.addInitScript(OBSERVE)
        load = await firstLoad(shown, origin + path)
        // Chromium reports a paint some frames after it. A page without one is not measured, which is an error.
        await shown.waitForFunction("window.vitals.lcp > 0")
        runs.push(await shown.evaluate<Vitals>("window.vitals"))
        await context.close()
      }
      const median = (of: (one: Vitals) => number) => runs.map(of).sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0
      const [lcp, cls] = [median((one) => one.lcp), median((one) => one.cls)]
      if (cls > MOST_SHIFT || !load || load.paths.length > MOST_REQUESTS) faults++
      console.log(
        `${path.padEnd(16)} ${String(width).padStart(4)} px  LCP ${(lcp / 1000).toFixed(2)} s  CLS ${cls.toFixed(3)}  ${load && requestsText(load)}, ${median((one) => one.kib).toFixed(0)} KiB`,
      )
    }
  }
  return faults
}
