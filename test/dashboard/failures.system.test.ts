import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "../../scripts/browser.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { hasBrowser } from "../harness/web-app.ts"

/** The advice for each code, and the link to follow it. */
const ADVICE: [code: string, text: RegExp, link: string][] = [
  ["CONTEXT_TOO_LONG", /Shorten the instructions/, "Change the instructions and tools"],
  ["FILE_REJECTED", /Send another file/, "Files"],
  ["TOOL_SCHEMA_REJECTED", /Change the input schema/, "Change the tool"],
  ["PARAMETER_REJECTED", /remove the parameter/, "Change the manifest"],
  ["CONTENT_REJECTED", /A filter of the provider/, "Try another text"],
  ["MODEL_REJECTED", /The provider's words are above/, "Change the space"],
  ["EMPTY_ANSWER", /wrote nothing/, "Change the instructions"],
  ["MCP_SERVER_UNAVAILABLE", /delete it from the space/, "Check the MCP servers"],
  ["OUT_OF_STOCK", /a rehearsal script has chosen it/, "Why a turn failed"],
]

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

  test("The page of a failed turn says what to do for each code, with a link", async () => {
    const { data } = await v1<{ data: { space_id: string }[] }>("GET", "/v1/spaces?limit=1")
    const space = data[0]?.space_id
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${service.sign_in_url}?as=Demo`)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { level: 1, name: /^(Home|Overview)$/ }).waitFor()
    for (const [code, text, link] of ADVICE) {
      const { turn_id } = await v1<Turn>("POST", "/v1/turns", { space, end_user_ref: "ann", text: `[fail ${code}]` })
      const turn = await v1<Turn>("GET", `/v1/turns/${turn_id}?wait=30`)
      expect(turn.error?.code).toBe(code)
      await page.goto(`${service.base_url}/turns/${turn_id}`)
      const output = page.getByRole("region", { name: "Output" })
      await output.getByText(code, { exact: true }).waitFor()
      await output.getByText(text).waitFor()
      expect(await output.getByRole("link", { name: link }).first().getAttribute("href"), code).toMatch(/^\//)
    }
  })
})
