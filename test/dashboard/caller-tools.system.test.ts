import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axeOf } from "../../scripts/prove-page.ts"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const TEXT = '[call find_order {"id":"A-1"}]\n[and call find_order {"id":"A-2"}]\n[reply Both left.]'

/** The faults of a page on a phone and a desktop, light and dark. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      faults.push(...(await axeOf(page)))
    }
    const over = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    )
    if (over > 0) faults.push(`${over} px wider than ${width} px`)
  }
  return faults
}

describe.skipIf(!hasBrowser)("Tools of the caller and results with a form in the web app", () => {
  let app: WebApp
  let person: Person
  let send: ReturnType<typeof sendWith>
  let space: string
  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
    const manifest = { builtin_tools: [] }
    space = (await send<{ space_id: string }>("POST", "/v1/spaces", { title: "Orders", manifest })).space_id
  })
  afterAll(() => app?.stop())

  test("The playground shows the calls of a tool by hand, and their typed results continue the turn", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/playground?space=${space}`)
    await page.getByRole("button", { name: "Add a tool by hand" }).click()
    await page.getByLabel("Tool 1", { exact: true }).fill("find_order")
    await page.getByLabel("Purpose of tool 1").fill("Finds an order.")
    await page.getByRole("button", { name: "Add a parameter" }).click()
    await page.getByLabel("Name of parameter 1").fill("id")
    await page.getByLabel("Text", { exact: true }).fill(TEXT)
    await page.getByRole("button", { name: "Send", exact: true }).click()
    const form = page.getByRole("form", { name: "Results of the calls" })
    await form.getByLabel("Result of call 1").fill("It left.")
    await form.getByRole("checkbox", { name: "The call failed" }).nth(1).check()
    await form.getByLabel("Error of call 2").fill("There is no such order.")
    expect(await faultsOf(page)).toEqual([])
    await form.getByRole("button", { name: "Send 2 results" }).click()
    await page.getByText("Both left.").waitFor()
    await form.waitFor({ state: "detached" })
    await page.getByRole("region", { name: "Result of find_order" }).first().getByText("It left.").waitFor()
    const { data } = await send<{ data: { turn_id: string; finish: string; calls: { id: string }[] }[] }>(
      "GET",
      `/v1/turns?space=${space}`,
    )
    const [second, first] = data
    expect([first?.finish, second?.finish]).toEqual(["tool_calls", "stop"])
    const given = await send("GET", `/v1/turns/${second?.turn_id}/messages`)
    const [a, b] = first?.calls ?? []
    expect(given.messages).toEqual([
      {
        role: "tool",
        results: [
          { id: a?.id, output: "It left." },
          { id: b?.id, error: "There is no such order." },
        ],
      },
    ])
  })

  test("The pages of an exchange's turns show calls with their results, and link to each other", async () => {
    const { page, origin } = person
    const tools = [{ name: "find_order", input_schema: { type: "object" } }]
    const sent = { space, end_user_ref: "customer-9", conversation: "linked" }
    type Turn = { turn_id: string; calls: { id: string }[] }
    const first = await send<Turn>("POST", "/v1/turns?wait=30", { ...sent, text: TEXT, tools })
    await page.goto(`${origin}/turns/${first.turn_id}`)
    await page.getByText("can give their results").waitFor()
    const results = first.calls.map(({ id }, nth) => ({
      id,
      ...(nth === 0 ? { output: "It left." } : { error: "No." }),
    }))
    const second = await send<Turn>("POST", "/v1/turns?wait=30", { ...sent, results, store: false })
    await page.reload()
    const call = page.getByRole("region", { name: "Call of find_order" })
    await call.first().getByText("It left.").waitFor()
    await call.nth(1).getByText("No.").waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("link", { name: second.turn_id }).first().click()
    await page.getByRole("region", { name: "Result of find_order" }).first().getByText("It left.").waitFor()
    await page.getByText("not stored: they are deleted soon").waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("link", { name: first.turn_id }).first().click()
    await page.getByText("calls of the caller's tools").first().waitFor()
    // A text that comes instead of results leaves calls without an answer.
    const third = await send<Turn>("POST", "/v1/turns?wait=30", { ...sent, text: TEXT, tools })
    await send("POST", "/v1/turns?wait=30", { ...sent, text: "[reply Never mind.]" })
    await page.goto(`${origin}/turns/${third.turn_id}`)
    await page.getByText("not answered").first().waitFor()
  })

  test("A schema is edited as a form in the playground and in the space, and the page of the turn shows the value", async () => {
    const { page, origin } = person
    await page.goto(`${origin}/playground?space=${space}&conversation=form`)
    await page.getByLabel("Result", { exact: true }).selectOption("json_schema")
    await page.getByLabel("Name of parameter 1").fill("city")
    await page.getByLabel("Text", { exact: true }).fill("Where?")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    const output = page.getByRole("region", { name: "Output" })
    await output.getByText('"city"').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("link", { name: "Steps and bill" }).last().click()
    await page.getByRole("region", { name: "Schema of the result" }).getByText('"city"').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`${origin}/spaces/${space}?tab=manifest`)
    await page.getByLabel("Result", { exact: true }).selectOption("json_schema")
    await page.getByLabel("Name of parameter 1").fill("street")
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole("button", { name: /^Save as version/ }).click()
    await page.getByText("The instructions are saved.").waitFor()
    expect(await send("GET", `/v1/spaces/${space}/manifest`)).toMatchObject({
      response_format: { type: "json_schema", name: "result", schema: { required: ["street"] } },
    })
  })
})
