import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

describe.skipIf(!hasBrowser)("Home as a verdict", () => {
  let app: WebApp

  beforeAll(async () => {
    app = await startWebApp()
  })

  afterAll(() => app?.stop())

  test("One line says that all is fine and since when, and a webhook that fails is listed until its test succeeds", async () => {
    let status = 204
    const receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
    const { page, context, api } = await app.signIn()
    try {
      const { webhook_id } = await api("POST", "/api/account/webhooks", { url, ping: false })
      await page.goto(`${new URL(page.url()).origin}/webhooks/${webhook_id}`)
      await page.getByRole("button", { name: "Send a test event" }).click()
      await page.getByRole("region", { name: "Live test" }).getByText("204").waitFor()
      const pages = page.getByRole("navigation", { name: "Pages" })
      const needs = page.getByRole("region", { name: "Needs you" })
      const fine = page.getByText(/^All fine since/)
      await pages.getByRole("link", { name: "Home" }).click()
      await fine.or(needs).first().waitFor()
      const before = await needs.getByRole("listitem").count()

      status = 500
      await page.goBack()
      await page.getByRole("button", { name: "Send a test event" }).click()
      await page.getByRole("region", { name: "Live test" }).getByText("500").waitFor()
      await page.getByText("failing", { exact: true }).waitFor()
      await pages.getByRole("link", { name: "Home" }).click()
      const row = needs.getByRole("listitem").filter({ hasText: `The webhook ${url} does not accept its events.` })
      await row.waitFor()
      expect(await needs.getByRole("listitem").count()).toBe(before + 1)

      status = 204
      await row.getByRole("link", { name: "Test it" }).click()
      await page.getByRole("button", { name: "Send a test event" }).click()
      await page.getByRole("region", { name: "Live test" }).getByText("204").waitFor()
      await page.getByText("enabled", { exact: true }).waitFor()
      await pages.getByRole("link", { name: "Home" }).click()
      await row.waitFor({ state: "detached" })
      await fine.or(needs).first().waitFor()
    } finally {
      receiver.closeAllConnections()
      receiver.close()
      await context.close()
    }
  })
})
