import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALL_PAGES } from "../../dashboard/src/app/all-pages.ts"
import { freePort } from "../../src/local/postgres.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { findPython } from "../harness/python.ts"
import { openFolder } from "../harness/run-snippet.ts"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

interface Snippet {
  page: string
  label: string
  code: string
}

/** The labels of code to run. Other blocks show a result or a value. */
const TO_RUN = /^The installation|^The address|(?:curl|TypeScript|Python)$/

/** The code blocks of the page that is open. */
async function snippetsOn(page: Page): Promise<Snippet[]> {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  await page.getByLabel("Loading").first().waitFor({ state: "detached" })
  const { pathname, search } = new URL(page.url())
  // Read at once, because a page that reads its data again may replace its blocks.
  const read = await page
    .locator("section[aria-label]:has(> pre)")
    .evaluateAll((blocks) =>
      blocks.map((block) => ({ label: block.getAttribute("aria-label") ?? "", code: block.textContent ?? "" })),
    )
  return read.filter(({ label }) => TO_RUN.test(label)).map((one) => ({ page: pathname + search, ...one }))
}

/** The code blocks of these paths. A page of a tab is a path with a query. */
async function collect(page: Page, paths: readonly string[]): Promise<Snippet[]> {
  const found: Snippet[] = []
  for (const path of paths) {
    await page.goto(new URL(path, page.url()).href)
    // The code of the first turn appears after the data about the account.
    if (path.startsWith("/home?")) await page.getByRole("region", { name: /^The first turn as/ }).waitFor()
    found.push(...(await snippetsOn(page)))
  }
  return found
}

const withoutParameters = (operators: boolean) =>
  ALL_PAGES.map(({ path }) => path).filter((path) => !path.includes("$") && path.startsWith("/operator") === operators)

const python = await findPython("httpx", "cryptography")
/** True if this machine can run the code. */
const isRunnable = ({ label }: Pick<Snippet, "label">) => python !== null || !label.includes("Python")

describe.skipIf(!hasBrowser)("The snippets that pages show", () => {
  let app: WebApp
  let reader: Awaited<ReturnType<typeof openFolder>>
  let own: Record<string, string>

  beforeAll(async () => {
    ;[app, reader] = await Promise.all([startWebApp(), openFolder({ python })])
  })

  afterAll(() => Promise.all([app?.stop(), reader?.remove()]))

  /** Runs a snippet by its label. Returns what it prints. */
  const paste = ({ label, code }: Snippet) =>
    /TypeScript$/.test(label)
      ? reader.node(code, own)
      : /Python$/.test(label)
        ? reader.python(code, own)
        : reader.sh(code, own)

  /** Runs each different snippet once. Returns the faults. */
  async function pasteAll(snippets: readonly Snippet[]): Promise<string[]> {
    const wrong: string[] = []
    const seen = new Set<string>()
    for (const snippet of snippets) {
      if (seen.has(snippet.code) || snippet.label.startsWith("A receiver") || !isRunnable(snippet)) continue
      seen.add(snippet.code)
      const printed = await paste(snippet).catch((error: Error) => `ERROR ${error.message}`)
      const isFault = /^ERROR|"error":\{|"detail":/.test(printed)
      if (isFault) wrong.push(`${snippet.page} ${snippet.label}: ${printed.slice(0, 500)}`)
    }
    return wrong
  }

  test("Every snippet of an account's empty pages runs as it is, with one name for the key and one for the address", async () => {
    const { page } = await app.signIn("Grace")
    const base = app.service.base_url
    const post = async (path: string, data: object) => {
      const answer = await page.request.post(`${base}/api/account/${path}`, { headers: { origin: base }, data })
      return (await answer.json()) as { value: string; space_id: string }
    }
    own = { TURNPIKE_API_KEY: (await post("keys", { name: "Server", scope: "all" })).value, TURNPIKE_BASE_URL: base }
    const empty = await collect(page, [
      "/",
      ...withoutParameters(false),
      "/account?tab=alerts",
      "/home?tab=curl",
      "/home?tab=typescript",
      "/home?tab=python",
    ])
    const { space_id } = await post("spaces", { title: "Agent" })
    const ofSpace = ["tools", "mcp", "secrets", "files"].map((tab) => `/spaces/${space_id}?tab=${tab}`)
    const ofPlayground = ["curl", "typescript", "python"].map((tab) => `/playground?tab=${tab}`)
    const whole = await collect(page, [...ofSpace, ...ofPlayground])
    const all = [...empty, ...whole]
    const text = all.map(({ code }) => code).join("\n")
    expect([...new Set(text.match(/\bTURNPIKE_[A-Z_]+/g))].sort()).toEqual(["TURNPIKE_API_KEY", "TURNPIKE_BASE_URL"])
    expect(text).not.toMatch(/cookies\.txt|YOUR_|turnpike-turns\/client@|urllib/)
    expect(new Set(all.map(({ code }) => code)).size).toBeGreaterThanOrEqual(16)
    // The client must be installed before its code runs.
    expect(await pasteAll(all.filter(({ label }) => label.startsWith("The installation")))).toEqual([])
    expect(await pasteAll(all)).toEqual([])
    await page.context().close()
  })

  test("Every snippet of the operators' empty pages runs with the session in one variable", async () => {
    const { page } = await app.signIn("Admin")
    const cookies = await page.context().cookies()
    const session = cookies.find(({ name }) => name === "token")?.value
    if (!session) throw new Error("The session has no cookie with the name token.")
    own = { TURNPIKE_SESSION: session }
    const all = await collect(page, withoutParameters(true))
    expect(all.length).toBeGreaterThan(0)
    expect(await pasteAll(all)).toEqual([])
    await page.context().close()
  })

  const receivers = [
    ["TypeScript", "/home?tab=typescript", "receiver.mjs", process.execPath],
    ["Python", "/home?tab=python", "receiver.py", "python3"],
  ] as const
  test.each(receivers.filter(([label]) => isRunnable({ label })))(
    "The receiver in %s accepts an event with a right signature and rejects one with a wrong signature",
    async (language, path, file, program) => {
      const { page } = await app.signIn("Grace")
      await page.goto(new URL(path, page.url()).href)
      const step = page.getByRole("button", { name: /^Receive events/ })
      // The step is open if it is the next one.
      if ((await step.getAttribute("aria-expanded")) === "false") await step.click()
      const block = page.getByRole("region", { name: `A receiver in ${language}` })
      await writeFile(join(reader.folder, file), await block.innerText())
      await reader.sh(
        await page.getByRole("region", { name: /^The installation of the .*client for the receiver$/ }).innerText(),
      )
      await page.context().close()
      const port = String(await freePort())
      const secret = Buffer.from("a secret of a webhook, 32 bytes!").toString("base64")
      const child = spawn(program, [file], {
        cwd: reader.folder,
        env: reader.variables({ PORT: port, TURNPIKE_WEBHOOK_SECRET: `whsec_${secret}` }),
        stdio: ["ignore", "pipe", "inherit"],
      })
      child.once("exit", endWithUs({ pid: child.pid as number, words: [file], signals: ["SIGKILL"] }))
      const printed = new Promise<string>((said) => child.stdout.once("data", (bytes: Buffer) => said(String(bytes))))
      const event = {
        id: "evt_1",
        type: "ping",
        created_at: new Date().toISOString(),
        seq: null,
        data: { webhook_id: "whk_1" },
      }
      const body = JSON.stringify(event)
      const send = async (key: string): Promise<number> => {
        const moment = String(Math.floor(Date.now() / 1000))
        const signature = createHmac("sha256", Buffer.from(key, "base64"))
          .update(`evt_1.${moment}.${body}`)
          .digest("base64")
        const headers = { "webhook-id": "evt_1", "webhook-timestamp": moment, "webhook-signature": `v1,${signature}` }
        const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body }).catch(() => null)
        return answer?.status ?? 0
      }
      try {
        // Until the server listens, the connection is refused.
        await expect.poll(() => send(Buffer.from("another secret").toString("base64"))).toBe(400)
        expect(await send(secret)).toBe(204)
        expect(await printed).toContain("ping evt_1")
      } finally {
        child.kill()
      }
    },
  )
})
