import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("A form that replaces a whole object", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  test("A line that is no header is named, and cannot replace the stored headers of an endpoint for traces", async () => {
    const { page, origin, api } = await app.signIn()
    const path = "/api/account/trace-endpoint"
    const url = "https://otlp.example.com/v1/traces"
    await api("PUT", path, { url, headers: { authorization: "Bearer stored" } })
    await page.goto(`${origin}/account?tab=traces`)
    const save = page.getByRole("button", { name: "Save the endpoint" })
    await page.getByLabel("Headers", { exact: true }).selectOption("Replace all")
    expect(await save.isDisabled()).toBe(true)
    const headers = page.getByLabel("All headers")
    for (const [text, fault] of [
      ["Bearer abc", "Line 1 must be a name, a colon and a value."],
      ["x-team: agents\n\nauthorization:", "Line 3 must be a name, a colon and a value."],
      ["x-team: agents\nX-Team: others", "Line 2 repeats the header X-Team."],
    ] as const) {
      await headers.fill(text)
      await page.getByRole("alert").getByText(fault).waitFor()
      expect(await save.isDisabled()).toBe(true)
    }
    await headers.fill("x-team: agents\nAuthorization: Bearer abc:def\n")
    await page.getByRole("alert").waitFor({ state: "detached" })
    await save.click()
    await page.getByText("The endpoint is saved.").waitFor()
    expect((await api("GET", path)).endpoint.header_names).toEqual(["authorization", "x-team"])
  })

  test("The form of the instructions saves a time zone and the way in which an agent gets its tools", async () => {
    const { page, origin, api } = await app.signIn()
    const { space_id } = await api("POST", "/api/account/spaces", { title: "Zone" })
    const path = `/api/account/spaces/${space_id}/manifest`
    await page.goto(`${origin}/spaces/${space_id}`)
    const save = page.getByRole("button", { name: /^Save as version/ })
    await page.getByLabel("Time zone").fill("Mars/Base")
    await page.getByLabel("Tools in the prompt").selectOption("The agent searches for them")
    await save.click()
    await page.getByText("must be a time zone of the IANA database").first().waitFor()
    await page.getByLabel("Time zone").fill("Asia/Kolkata")
    await save.click()
    const saved = { time_zone: "Asia/Kolkata", tools: { mode: "search" } }
    await expect.poll(() => api("GET", path)).toEqual(saved)
  })

  test("The form of the instructions keeps the fields that it does not show", async () => {
    const { page, origin, api } = await app.signIn()
    const { space_id } = await api("POST", "/api/account/spaces", { title: "Agent" })
    const path = `/api/account/spaces/${space_id}/manifest`
    const hidden = { max_wait_seconds: 600, approvals: { write_file: "always" } }
    await api("PUT", path, { instructions: "Old", ...hidden })
    await page.goto(`${origin}/spaces/${space_id}`)
    const save = page.getByRole("button", { name: /^Save as version/ })
    for (const [at, on_limit] of [
      ["Wait until the limit allows it", "wait"],
      ["Fail with the partial result", "fail"],
    ] as const) {
      await page.getByRole("textbox", { name: "Instructions" }).fill(`New: ${on_limit}`)
      await page.getByLabel("At a limit").selectOption(at)
      await save.click()
      await expect.poll(() => api("GET", path)).toEqual({ instructions: `New: ${on_limit}`, on_limit, ...hidden })
      await expect.poll(() => save.isDisabled()).toBe(true)
    }
  })
})
