import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findPython } from "../harness/python.ts"
import { openFolder } from "../harness/run-snippet.ts"
import { createKeyOnPage, hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

const python = await findPython("httpx", "cryptography")

describe.skipIf(!hasBrowser)("A newcomer", () => {
  let app: WebApp
  let reader: Awaited<ReturnType<typeof openFolder>>

  beforeAll(async () => {
    ;[app, reader] = await Promise.all([startWebApp(), openFolder({ python })])
  })

  afterAll(() => Promise.all([app?.stop(), reader?.remove()]))

  test("With credit, Home leads to a billed turn by the shown code in curl, TypeScript and Python, in three clicks and no other network", async () => {
    const { page } = await app.signIn("Grace")
    let clicks = 0
    const steps = page.getByRole("region", { name: "First steps" })
    await steps.getByText("1 of 5 done").waitFor()
    const key = await createKeyOnPage(page, "Server")
    clicks += 3
    const own = { TURNPIKE_API_KEY: key }
    const code = (label: string) => steps.getByRole("region", { name: label }).innerText()
    await reader.sh(await code("The first turn as curl"), own)
    await steps.getByRole("link", { name: "Steps and bill" }).waitFor()
    await steps.getByText(/^You said/).waitFor()
    console.log(`First billed turn: ${clicks} clicks`)
    expect(clicks).toBeLessThanOrEqual(4)

    const based = { ...own, TURNPIKE_BASE_URL: app.service.base_url }
    await steps.getByRole("tab", { name: "TypeScript" }).click()
    await reader.sh(await code("The installation of the client"))
    expect(await reader.node(await code("The first turn as TypeScript"), based)).toMatch(/^done You said: .* 0\.0\d+/)
    if (python) {
      await steps.getByRole("tab", { name: "Python" }).click()
      await reader.sh(await code("The installation of the Python client"))
      expect(await reader.python(await code("The first turn as Python"), based)).toMatch(/^done You said: .* \d\S+/)
    }
    await steps.getByText("3 of 5 done").waitFor()
    await page.context().close()
  })

  test("Without credit, Home says so before a turn is refused, shows a refused one with its cure, and leads to a test key", async () => {
    const { page: admin } = await app.signIn("Admin")
    const url = "https://pay.example.com/credit"
    const set = await admin.request.put(`${app.service.base_url}/api/admin/settings`, {
      headers: { origin: app.service.base_url },
      data: { key: "top_up_url", value: url },
    })
    expect(set.status()).toBe(200)
    await admin.context().close()

    const { page } = await app.signIn("Barbara")
    const steps = page.getByRole("region", { name: "First steps" })
    await steps.getByText("This account has no available credit, so live turns are refused with 402.").waitFor()
    expect(await steps.getByRole("link", { name: "Add credit" }).getAttribute("href")).toBe(url)
    await steps.getByRole("button", { name: /^Create an API key/ }).click()
    const key = await createKeyOnPage(page, "Live")
    await steps.getByRole("button", { name: /^Send a turn/ }).click()
    const code = await steps.getByRole("region", { name: "The first turn as curl" }).innerText()
    expect(await reader.sh(code, { TURNPIKE_API_KEY: key })).toContain("INSUFFICIENT_CREDITS")
    const refused = page.getByRole("region", { name: "Refused requests" })
    await refused.getByText("402 INSUFFICIENT_CREDITS").waitFor()
    await refused.getByRole("link", { name: "Add credit" }).waitFor()

    await steps.getByRole("button", { name: /^Get credit/ }).click()
    await steps.getByRole("link", { name: "Start with a test key" }).click()
    await page.getByText("Test data.").waitFor()
    await steps.getByText("0 of 4 done").waitFor()
    const test = await createKeyOnPage(page, "Test")
    expect(test).toMatch(/^turnpike_test_/)
    await reader.sh(await steps.getByRole("region", { name: "The first turn as curl" }).innerText(), {
      TURNPIKE_API_KEY: test,
    })
    await steps.getByText(/^You said/).waitFor()
    await page.context().close()
  })

  test("A member of a shared space tries it in the playground, and the code does not name that space", async () => {
    const { page } = await app.signIn("Ben, support")
    const steps = page.getByRole("region", { name: "First steps" })
    await steps.getByRole("button", { name: /^Send a turn/ }).click()
    expect(await steps.getByRole("region", { name: "The first turn as curl" }).innerText()).toContain("/v1/spaces")
    await steps.getByRole("button", { name: /^Try Support of the demo/ }).click()
    await steps.getByRole("link", { name: "Open in playground" }).click()
    await page.getByLabel("Text").fill("Where is my order?")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("You said: Where is my order?").waitFor()
    await page.getByRole("link", { name: "Home" }).first().click()
    await steps.getByRole("button", { name: "Try Support of the demo (done)" }).waitFor()
    await page.context().close()
  })

  test("After npm start, Home shows the steps that are left, a webhook is tested live, and hidden steps come back", async () => {
    const { page } = await app.signIn("Demo")
    const steps = page.getByRole("region", { name: "First steps" })
    await steps.getByText("3 of 5 done").waitFor()
    await steps.getByRole("button", { name: "Create a webhook" }).click()
    await page.getByLabel("URL").fill("http://127.0.0.1:9/hooks")
    await page.getByRole("button", { name: "Create the webhook" }).click()
    await page.getByRole("button", { name: "I have saved it" }).click()
    await steps.getByRole("button", { name: "Send a test event" }).click()
    await steps.getByText("the connection was refused").waitFor()
    await steps.getByRole("link", { name: "View the delivery" }).waitFor()
    // A webhook that never answered is pending, and not among those that fail.
    expect(await page.getByText("does not accept its events").count()).toBe(0)
    await steps.getByRole("button", { name: "Hide" }).click()
    await steps.waitFor({ state: "detached" })
    await page.reload()
    await page.getByRole("heading", { name: "Latest turns" }).waitFor()
    expect(await steps.count()).toBe(0)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox").fill("first steps")
    await page.keyboard.press("Enter")
    await steps.waitFor()
    await page.context().close()
  })
})
