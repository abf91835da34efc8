import type { Page } from "playwright-core"

/** The most requests of the first load of a page. */
export const MOST_REQUESTS = 20

/** The rounds without a new request after which a load is over. */
const QUIET_ROUNDS = 5

export interface FirstLoad {
  /** The number of requests by kind, such as `script`. */
  kinds: Map<string, number>
  /** The paths of all requests, in their order. */
  paths: string[]
}

/**
 * Opens a page and counts its requests until everything that is in view has loaded. The numbers do not depend on the
 * speed of the machine: the timers of polls never fire. The icon of the tab does not count, which the browser wants.
 */
export async function firstLoad(page: Page, url: string): Promise<FirstLoad> {
  const kinds = new Map<string, number>()
  const paths: string[] = []
  let open = 0
  page.on("request", (request) => {
    open++
    const kind = request.resourceType()
    if (kind === "other") return
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    const { pathname, search } = new URL(request.url())
    paths.push(pathname + search)
  })
  for (const end of ["requestfinished", "requestfailed"] as const) page.on(end as "requestfinished", () => open--)
  await page.addInitScript("setInterval = () => 0")
  await page.goto(url)
  await page.locator("h1").first().waitFor()
  for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
    const before = paths.length
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))")
    quiet = open === 0 && paths.length === before ? quiet + 1 : 0
  }
  return { kinds, paths }
}

/** The kinds as a text: `24 requests (1 document, 8 script)`. */
export const requestsText = ({ kinds, paths }: FirstLoad) =>
  `${paths.length} requests (${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ")})`
