import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { firstLoad, MOST_REQUESTS, requestsText } from "../../scripts/first-load.ts"
import { hasBrowser, startWebApp, type WebApp } from "../harness/web-app.ts"

const PHONE = { width: 390, height: 844 }

describe.skipIf(!hasBrowser)("The first load of a page", () => {
  let app: WebApp
  beforeAll(async () => {
    app = await startWebApp()
  })
  afterAll(() => app?.stop())

  for (const path of ["/home", "/playground", "/turns", "/usage", "/balance"]) {
    for (const size of [undefined, PHONE]) {
      test(`The page ${path} makes at most ${MOST_REQUESTS} requests${size ? " on a phone" : ""}, none of them twice`, async () => {
        const { context, origin } = await app.signIn(undefined, size)
        const page = await context.newPage()
        // As for an account with two days of turns, so that Home has its chart.
        await page.route("**/api/account/energy?*", async (route) => {
          const response = await route.fetch()
          const answer = (await response.json()) as { days: { spent: number }[] }
          await route.fulfill({ response, json: { ...answer, days: answer.days.map((day) => ({ ...day, spent: 1 })) } })
        })
        const load = await firstLoad(page, origin + path)
        expect(load.paths.length, `${requestsText(load)}\n${load.paths.join("\n")}`).toBeLessThanOrEqual(MOST_REQUESTS)
        expect(new Set(load.paths).size).toBe(load.paths.length)
        await context.close()
      })
    }
  }
})
