import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { BrowserContext, Page } from "playwright-core"
import { type Popups, provePopups, refuseChanges } from "./prove-popups.ts"

/** A page as the web app declares it: its `path` with parameters, and the lists that have values for them. */
export interface ShownPage {
  area: string
  path: string
  samples?: Record<string, { list: string; field: string }>
  /** The tab to open. Undefined: the default. */
  tab?: string | undefined
}

export interface Look {
  theme: "light" | "dark"
  width: number
}

interface Visit {
  origin: string
  shown: ShownPage
  /** The page is loaded at the first look, and then changes its theme and its width. */
  looks: Look[]
  /** The path of the screenshot. */
  fileOf: (look: Look) => string
  /**
   * The answers of the API, except the one for the signed-in user. "failing": each is a 500. "loading": none comes
   * while the page is checked.
   */
  answers: ApiAnswers
  /** Opens the dialogs and menus of the page instead of checking the page itself. */
  popups?: Popups | undefined
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

/** A window of 1280 px at a zoom of 200 % and 400 % (WCAG 1.4.4 and 1.4.10). */
const ZOOMED = [640, 320]

/** Opens a page, takes a screenshot of each look, and returns the faults. */
export async function provePage(context: BrowserContext, visit: Visit): Promise<string[]> {
  const { origin, shown, looks, fileOf, answers, popups } = visit
  const page = await context.newPage()
  const wrong: string[] = []
  let look = looks[0] as Look
  const report = (...faults: string[]) => wrong.push(...faults.map((text) => `${look.width} ${look.theme}: ${text}`))
  try {
    const path = await fill(page, origin, shown)
    const address = origin + path + (shown.tab ? `?tab=${shown.tab}` : "")
    // Without a value for a parameter, the page shows that the object does not exist.
    const isMissing = path.split("/").includes(UNKNOWN)
    watch(page, { report, mayFail: answers === "failing" || !!popups || isMissing || shown.area === "sign-in" })
    await answerAs(page, answers)
    if (popups) await refuseChanges(page)
    const open = () => openPage(page, address, answers)
    await takeLook(page, look)
    await open()
    for (look of looks) {
      await takeLook(page, look)
      if (popups) {
        report(...(await provePopups(page, popups, open)))
        continue
      }
      // The reference is too long for a full screenshot.
      await page.screenshot({ path: fileOf(look), fullPage: shown.area !== "reference" })
      report(...(await overflowOf(page)), ...(await axeOf(page, { isStrict: true })))
    }
    if (!popups) {
      for (const width of ZOOMED) {
        look = { theme: "light", width }
        await takeLook(page, look)
        report(...(await overflowOf(page)))
      }
    }
  } catch (error) {
    await page.screenshot({ path: fileOf(look) }).catch(() => null)
    report(`not shown: ${String(error).split("\n")[0]}`)
  } finally {
    await page.close()
  }
  return wrong
}

/** Reports thrown errors and errors in the console. `mayFail`: unsuccessful responses are no faults. */
function watch(page: Page, { report, mayFail }: { report: (fault: string) => void; mayFail: boolean }): void {
  page.on("pageerror", (error) => report(`error: ${error.message}`))
  page.on("console", (message) => {
    // Chromium logs an error for each unsuccessful response, and the viewer one for its document, which it also shows.
    const isAnswer = /^Failed to (load resource|fetch document)/.test(message.text())
    if (message.type() === "error" && !(isAnswer && mayFail)) {
      report(`console: ${message.text()} ${message.location().url}`)
    }
  })
}

async function answerAs(page: Page, answers: ApiAnswers): Promise<void> {
  if (answers === "usual") return
  await page.route("**/api/**", (route) =>
    // The pages of the reference are also below /api.
    route.request().url().endsWith("/api/auth/me") || route.request().isNavigationRequest()
      ? route.continue()
      : answers === "failing"
        ? route.fulfill(FAILURE)
        : undefined,
  )
}

/** Gives the page a theme and a width, and waits until it is drawn again. */
async function takeLook(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
}

/** Opens a page and waits until it shows its data. */
async function openPage(page: Page, address: string, answers: ApiAnswers): Promise<void> {
  await page.goto(address)
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  if (answers === "loading") return
  await page.getByLabel("Loading").first().waitFor({ state: "detached" })
  // Waits for charts, which are drawn after their frame was measured. Those of a closed part are not drawn.
  const unfinished = page.locator("figure:not(.code):not(:has(svg.recharts-surface, table))")
  await unfinished.filter({ visible: true }).first().waitFor({ state: "detached" })
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

/**
 * Base UI's focus guards are hidden but focusable, because they pass the focus on. ACT rule 6cfa84 allows that, and
 * axe does not see it (https://github.com/mui/base-ui/issues/4668).
 */
const FOCUS_GUARD = "[data-base-ui-focus-guard]"

interface AxeScope {
  /** Only the elements of this selector. */
  within?: string
  /** Also findings that axe calls moderate or minor. */
  isStrict?: boolean
}

/** Runs axe in the page. It is evaluated, because the page's security policy blocks added scripts. */
export async function axeOf(
  page: Pick<Page, "evaluate">,
  { within, isStrict = false }: AxeScope = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe)
  const violations = await page.evaluate(
    async ([scope, options]) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            scope: object,
            options: object,
          ): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }>
        }
      }
      return (await axe.run(scope, options)).violations
    },
    [
      { ...(within && { include: [within] }), exclude: [FOCUS_GUARD] },
      // A menu stands outside the landmarks of the page.
      { rules: { region: { enabled: within === undefined } } },
    ] as const,
  )
  return violations
    .filter(({ impact }) => isStrict || impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `axe ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)
}
