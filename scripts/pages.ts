import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Browser } from "playwright-core"
import { ALL_PAGES } from "../dashboard/src/app/all-pages.ts"
import { launchChromium, serviceAt } from "./browser.ts"
import { type ApiAnswers, type Look, provePage, type ShownPage } from "./prove-page.ts"
import type { Popups } from "./prove-popups.ts"
import { measureVitals } from "./vitals.ts"

/**
 * `npm run pages` checks every page of the web app and the reference in Chromium for findings of axe, overflow and
 * errors (docs/architecture/web-app.md). It starts a service, unless `--url` has the web app's address that `npm start`
 * prints. Screenshots are in dist/pages. With `--popups`, it opens the dialogs and menus of each page.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    url: { type: "string" },
    // The API fails, or does not answer.
    failing: { type: "boolean", default: false },
    loading: { type: "boolean", default: false },
    vitals: { type: "boolean", default: false },
    // An account without data.
    empty: { type: "boolean", default: false },
    popups: { type: "boolean", default: false },
  },
})
const THEMES = ["light", "dark"] as const
const WIDTHS = [390, 1024, 1280, 1440]
const LOOKS: Look[] = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })))
const TARGET = join("dist", "pages")
const PUBLIC: ShownPage[] = [
  ...["/", "/sign-in", "/magic", "/mini-app", "/reset-password", "/invitation", "/accounts"].map((path) => ({
    area: "sign-in",
    path,
  })),
  ...[
    "/docs",
    "/docs/webhooks",
    "/docs/errors",
    "/docs/limits",
    "/docs/all",
    "/docs/operations/turns",
    "/docs/try",
  ].map((path) => ({ area: "reference", path })),
  ...["/api/docs", "/api/docs/session", "/api/docs/operations/admin", "/api/docs/try"].map((path) => ({
    area: "reference",
    path,
  })),
]

/** The pages with each of their tabs. */
const SHOWN: ShownPage[] = ALL_PAGES.flatMap(({ tabs = [], ...page }) =>
  [undefined, ...tabs.slice(1)].map((tab) => ({ ...page, tab })),
)

const areas = [...new Set([...PUBLIC, ...SHOWN].map(({ area }) => area))]
if (values.only && !areas.includes(values.only)) {
  console.error(`There is no area ${values.only}. Name one of ${areas.sort().join(", ")}.`)
  process.exit(2)
}

const browser = await launchChromium()
const answers: ApiAnswers = values.failing ? "failing" : values.loading ? "loading" : "usual"
// Pages with data need the demo month.
const service = await serviceAt(values.url, {}, answers !== "usual" || values.empty ? [] : ["--demo-data"])
try {
  const faults = await (values.vitals ? measureVitals(browser, service.signIn) : proveAll(browser, service.signIn))
  process.exitCode = faults === 0 ? 0 : 1
} finally {
  await browser.close()
  await service.stop()
}

/** Visits every page. Returns the number of faults. */
async function proveAll(browser: Browser, signIn: string): Promise<number> {
  const kind = answers !== "usual" ? answers : values.empty ? "empty" : "data"
  await mkdir(TARGET, { recursive: true })
  const popups: Popups | undefined = values.popups ? { openers: new Map(), checked: 0 } : undefined
  let faults = 0
  let visits = 0
  const people = [
    { name: null, pages: PUBLIC },
    { name: values.empty ? "Barbara" : "Demo", pages: SHOWN.filter(({ path }) => !path.startsWith("/operator")) },
    { name: "Admin", pages: SHOWN.filter(({ path }) => path.startsWith("/operator")) },
  ]
  for (const { name, pages } of people) {
    const wanted = pages.filter(({ area }) => !values.only || area === values.only)
    if (wanted.length === 0) continue
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(name ? `${signIn}?as=${name}` : signIn)
    if (name) {
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.waitForURL((url) => url.pathname !== "/magic")
    }
    const { origin } = new URL(page.url())
    const state = await context.storageState()
    await context.close()
    const looked = await browser.newContext({ storageState: state, permissions: ["clipboard-write"] })
    for (const shown of wanted) {
      const file = join(TARGET, [kind, shown.area, nameOf(shown.path), shown.tab].filter(Boolean).join("-"))
      const fileOf = ({ theme, width }: Look) => `${file}-${width}-${theme}.png`
      const wrong = await provePage(looked, { origin, shown, looks: LOOKS, fileOf, answers, popups })
      visits += LOOKS.length
      faults += wrong.length
      for (const text of wrong) console.log(`FAIL ${shown.path} ${shown.tab ?? ""} ${text}`)
    }
    await looked.close()
  }
  const checked = popups ? `${popups.checked} popups checked` : `screenshots in ${TARGET}`
  console.log(`${visits} visits (${kind}), ${faults} faults; ${checked}`)
  return faults
}

function nameOf(path: string): string {
  return path.replaceAll("$", "").split("/").filter(Boolean).join("_") || "start"
}
