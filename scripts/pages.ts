import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { type Browser, chromium } from "playwright-core"
import { ALL_PAGES } from "../dashboard/src/shell/all-pages.ts"
import { provePage, type ShownPage } from "./prove-page.ts"

/**
 * `npm run pages [-- --only AREA] [--failing] [--empty] [--url URL]`: every page of the web app in Chromium, in both themes at 390 and
 * 1440 px: axe finds nothing serious, nothing overflows, the console stays empty. Screenshots are in dist/pages. Without --url, the
 * address that `npm start` prints for the web app, it starts one of its own.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    url: { type: "string" },
    failing: { type: "boolean", default: false },
    empty: { type: "boolean", default: false },
  },
})
const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const executablePath = found.find((path) => path && existsSync(path))
if (!executablePath) {
  console.error("There is no Chromium: install one (apt-get install chromium), or name it in CHROMIUM.")
  process.exit(2)
}

const THEMES = ["light", "dark"] as const
const WIDTHS = [390, 1440]
const TARGET = join("dist", "pages")
const PUBLIC: ShownPage[] = ["/", "/sign-in", "/magic", "/reset-password"].map((path) => ({ area: "sign-in", path }))

const service = values.url ? { signIn: values.url, stop: async () => {} } : await startService()
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
try {
  process.exitCode = (await proveAll(browser, service.signIn)) === 0 ? 0 : 1
} finally {
  await browser.close()
  await service.stop()
}

/** Visits every page; returns how many faults there are. */
async function proveAll(browser: Browser, signIn: string): Promise<number> {
  const kind = values.failing ? "failing" : values.empty ? "empty" : "data"
  await mkdir(TARGET, { recursive: true })
  let faults = 0
  let visits = 0
  const people = [
    { name: null, pages: PUBLIC },
    { name: values.empty ? "Barbara" : "Demo", pages: ALL_PAGES.filter(({ path }) => !path.startsWith("/operator")) },
    { name: "Admin", pages: ALL_PAGES.filter(({ path }) => path.startsWith("/operator")) },
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
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        const context = await browser.newContext({
          storageState: state,
          colorScheme: theme,
          viewport: { width, height: width < 600 ? 844 : 900 },
        })
        for (const shown of wanted) {
          const file = join(TARGET, [kind, shown.area, nameOf(shown.path), width, theme].join("-"))
          const wrong = await provePage(context, { origin, shown, file: `${file}.png`, failing: values.failing })
          visits++
          faults += wrong.length
          for (const text of wrong) console.log(`FAIL ${shown.path} ${width} ${theme}: ${text}`)
        }
        await context.close()
      }
    }
  }
  console.log(`${visits} visits (${kind}), ${faults} faults; screenshots in ${TARGET}`)
  return faults
}

function nameOf(path: string): string {
  return path.replaceAll("$", "").split("/").filter(Boolean).join("_") || "start"
}

/** `npm start` on a free port, with a folder of its own that is removed afterwards. */
async function startService() {
  const data = await mkdtemp(join(tmpdir(), "turnpike-pages-"))
  const port = await freePorts()
  const child = spawn("node", ["src/local/start.ts", "--port", String(port), "--data", data, "--providers"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TURNPIKE_DEMO: join(data, "demo.json") },
  })
  let signIn: string | undefined
  for await (const line of createInterface(child.stdout)) {
    console.log(line)
    signIn ??= /web app\s+(http\S+)/.exec(line)?.[1]
    if (line.startsWith("Ctrl-C")) break
  }
  child.stdout.resume()
  if (!signIn) throw new Error("npm start has ended before it printed the address of the web app")
  return {
    signIn,
    async stop() {
      const ended = once(child, "exit")
      child.kill("SIGINT")
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** A port that is free, with those after it that `npm start` takes too. */
async function freePorts(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port < 65_000 ? port : port - 500
}
