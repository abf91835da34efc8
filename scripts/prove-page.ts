import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { BrowserContext, Page } from "playwright-core"

/** A page as the web app declares it: its `path` with parameters, and the lists that have values for them. */
export interface ShownPage {
  area: string
  path: string
  samples?: Record<string, { list: string; field: string }>
  /** The tab to open. Undefined: the default. */
  tab?: string | undefined
}

interface Visit {
  origin: string
  shown: ShownPage
  /** The path of the screenshot. */
  file: string
  /**
   * The answers of the API, except the one for the signed-in user. "failing": each is a 500. "loading": none comes
   * while the page is checked.
   */
  answers: ApiAnswers
}

export type ApiAnswers = "usual" | "failing" | "loading"

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The value of a parameter if its list is empty. */
const UNKNOWN = "none"

const FAILURE = {
  status: 500,
  headers: { "x-request-id": "req_01000000000000000000000000" },
  json: { detail: "Something went wrong on our side. Quote the request id when you report it.", code: "INTERNAL" },
}

/** Opens a page, takes a screenshot, and returns the faults. */
export async function provePage(context: BrowserContext, { origin, shown, file, answers }: Visit): Promise<string[]> {
  const page = await context.newPage()
  const wrong: string[] = []
  try {
    const path = await fill(page, origin, shown)
    const address = origin + path + (shown.tab ? `?tab=${shown.tab}` : "")
    // Without a value for a parameter, the page shows that the object does not exist.
    const isMissing = path.split("/").includes(UNKNOWN)
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`))
    page.on("console", (message) => {
      // Chromium logs an error for each unsuccessful response, and the viewer one for its document, which it also shows.
      const isAnswer = /^Failed to (load resource|fetch document)/.test(message.text())
      if (
        message.type() === "error" &&
        !(isAnswer && (answers === "failing" || isMissing || shown.area === "sign-in"))
      ) {
        wrong.push(`console: ${message.text()} ${message.location().url}`)
      }
    })
    if (answers !== "usual") {
      await page.route("**/api/**", (route) =>
        // The pages of the reference are also below /api.
        route.request().url().endsWith("/api/auth/me") || route.request().isNavigationRequest()
          ? route.continue()
          : answers === "failing"
            ? route.fulfill(FAILURE)
            : undefined,
      )
    }
    await page.goto(address)
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    if (answers !== "loading") {
      await page.getByLabel("Loading").first().waitFor({ state: "detached" })
      // Waits for charts, which are drawn after their frame was measured.
      const unfinished = page.locator("figure:not(.code):not(:has(svg.recharts-surface, table))")
      await unfinished.first().waitFor({ state: "detached" })
    }
    // The reference is too long for a full screenshot.
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

/**
 * Replaces each parameter of the path with a value from the first entry of its list. The address of a list can contain
 * parameters that were replaced before.
 */
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

/** A string, because scripts have no types of the browser. */
const OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

export async function overflowOf(page: Pick<Page, "evaluate">): Promise<string[]> {
  const over = await page.evaluate<number>(OVERFLOW)
  return over > 0 ? [`${over} px wider than the window`] : []
}

/** Runs axe in the page. It is evaluated, because the page's security policy blocks added scripts. */
export async function axeOf(page: Pick<Page, "evaluate">): Promise<string[]> {
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
