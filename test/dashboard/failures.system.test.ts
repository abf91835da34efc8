import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "../../scripts/browser.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { hasBrowser } from "../harness/web-app.ts"
import { FAILURE_ADVICE, FOREIGN_ADVICE } from "./failure-advice.ts"

/** A code for which a turn fails only after half a minute. Its page gets the answer for another one, with this code. */
const SLOW = { code: "MODEL_UNAVAILABLE", sent: "MODEL_ERROR" }

describe.skipIf(!hasBrowser)("A failed turn in a browser", () => {
  let service: Started
  let browser: Browser
  beforeAll(async () => {
    ;[service, browser] = await Promise.all([npmStart(), launchChromium()])
  })
  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  const v1 = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const authorization = `Bearer ${service.api_key}`
    const headers = { authorization, "content-type": "application/json", "idempotency-key": JSON.stringify(body ?? "") }
    const answer = await fetch(service.base_url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Answer
  }

  /** The id of a turn that has failed with the code. */
  async function failedTurn(space: string | undefined, code: string): Promise<string> {
    const sent = code === SLOW.code ? SLOW.sent : code
    // Turns of different end users do not wait for each other.
    const body = { space, end_user_ref: code, text: `[fail ${sent}]` }
    const { turn_id } = await v1<Turn>("POST", "/v1/turns", body)
    const turn = await v1<Turn>("GET", `/v1/turns/${turn_id}?wait=30`)
    expect(turn.error?.code).toBe(sent)
    return turn_id
  }

  async function answerSlowCode(page: Page, turnId: string) {
    await page.route(`**/api/account/turns/${turnId}`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(SLOW.sent, SLOW.code) })
    })
  }

  test("The page of a failed turn says what to do for each code, with a link", async () => {
    const { data } = await v1<{ data: { space_id: string }[] }>("GET", "/v1/spaces?limit=1")
    const advice = [...FAILURE_ADVICE, FOREIGN_ADVICE]
    const turns = Promise.all(advice.map(([code]) => failedTurn(data[0]?.space_id, code)))
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${service.sign_in_url}?as=Demo`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
    const guides = new Set<string>()
    for (const [at, turnId] of (await turns).entries()) {
      const [code, text, link] = advice[at] ?? FOREIGN_ADVICE
      if (code === SLOW.code) await answerSlowCode(page, turnId)
      await page.goto(`${service.base_url}/turns/${turnId}`)
      const output = page.getByRole("region", { name: "Output" })
      await output.getByText(code, { exact: true }).waitFor()
      await output.getByText(text).waitFor()
      const links = output.getByRole("link")
      expect(await links.filter({ hasText: link }).first().getAttribute("href"), code).toMatch(/^\//)
      const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""))
      for (const href of hrefs) if (href.startsWith("/docs/")) guides.add(href)
    }
    expect(guides.size).toBeGreaterThan(3)
    for (const href of guides) {
      const [path, heading] = href.split("#")
      const answer = await fetch(service.base_url + path)
      expect(answer.status, href).toBe(200)
      if (heading !== undefined) expect(await answer.text(), href).toContain(`id="${heading}"`)
    }
  })
})
