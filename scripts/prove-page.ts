import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { BrowserContext, Page } from "playwright-core"

/** A page as the web app declares it: `path` with its parameters, and where values for those are found. */
export interface ShownPage {
  area: string
  path: string
  samples?: Record<string, { list: string; field: string }>
}

interface Visit {
  origin: string
  shown: ShownPage
  /** Where the screenshot goes. */
  file: string
  /** Whether the API answers 500 to everything but who is signed in. */
  failing: boolean
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Where a parameter leads when there is nothing to show. */
const UNKNOWN = "none"

/** Opens a page, takes its screenshot, and returns what is wrong with it. */
export async function provePage(context: BrowserContext, { origin, shown, file, failing }: Visit): Promise<string[]> {
  const page = await context.newPage()
  const wrong: string[] = []
  try {
    const path = await fill(page, origin, shown)
    const address = origin + path
    // Without a sample, or in an account without data, the page says that there is no such thing.
    const isMissing = path.split("/").includes(UNKNOWN)
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`))
    page.on("console", (message) => {
      // Chromium itself reports each answer that is not a success.
      const isAnswer = message.text().startsWith("Failed to load resource")
      if (message.type() === "error" && !(isAnswer && (failing || isMissing || shown.area === "sign-in"))) {
        wrong.push(`console: ${message.text()} ${message.location().url}`)
      }
    })
    if (failing) {
      await page.route("**/api/**", (route) =>
        // Pages of the reference are below /api, too.
        route.request().url().endsWith("/api/auth/me") || route.request().isNavigationRequest()
          ? route.continue()
          : route.fulfill({
              status: 500,
              headers: { "x-request-id": "req_01000000000000000000000000" },
              json: {
                detail: "Something went wrong on our side. Quote the request id when you report it.",
                code: "INTERNAL",
              },
            }),
      )
    }
    await page.goto(address)
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    await page.getByLabel("Loading").first().waitFor({ state: "detached" })
    // A chart is drawn when its frame has been measured.
    await page.waitForFunction("!document.querySelector('figure:not(:has(svg.recharts-surface, table))')")
    // The reference is too long for one picture.
    await page.screenshot({ path: file, fullPage: shown.area !== "reference" })
    wrong.push(...(await overflowOf(page)), ...(await axeOf(page)))
  } catch (error) {
    await page.screenshot({ path: file }).catch(() => null)
    wrong.push(`not shown: ${String(error).split("\n")[0]}`)
  } finally {
    await page.close()
  }
  return wrong
}

/** The path with a value for each parameter: of the first entry of a list that the API answers. A list may be of a sample before it. */
async function fill(page: Page, origin: string, { path, samples = {} }: ShownPage): Promise<string> {
  const found = new Map<string, string>()
  const filled = (text: string) => text.replace(/\$(\w+)/g, (_, name) => found.get(name) ?? UNKNOWN)
  for (const [name, { list, field }] of Object.entries(samples)) {
    const answer = await page.request.get(origin + filled(list))
    const read = (await answer.json().catch(() => ({}))) as Partial<Record<"items" | "data", Record<string, unknown>[]>>
    const [first] = read.items ?? read.data ?? []
    found.set(name, encodeURIComponent(String(first?.[field] ?? UNKNOWN)))
  }
  return filled(path)
}

/** As text, since the types of a browser are not those of a script. */
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

async function overflowOf(page: Page): Promise<string[]> {
  const over = await page.evaluate<number>(OVERFLOW)
  return over > 0 ? [`${over} px wider than the window`] : []
}

/** Runs axe in the page: evaluated, so the page's policy does not concern it. */
export async function axeOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)
  })
}
