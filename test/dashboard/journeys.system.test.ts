import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "../../scripts/browser.ts"
import { firstTurn } from "../../scripts/journeys/first-turn.ts"
import { goJourney } from "../../scripts/journeys/journey.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { hasBrowser } from "../harness/web-app.ts"

/** `npm run journeys` runs all journeys. */
describe.skipIf(!hasBrowser)("The web app by keyboard alone", () => {
  let service: Started
  let browser: Browser

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([npmStart(), launchChromium()])
  })

  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  test("The keyboard leads from the printed address to the first key, a streamed turn and its bill in fewer than two hundred presses", async () => {
    const signIn = service.sign_in_url
    if (!signIn) throw new Error("npm start has printed no sign-in address")
    const { presses, wrong } = await goJourney(browser, firstTurn, { signIn, stamp: "one" })
    expect(wrong).toEqual([])
    expect(presses).toBeLessThan(200)
  })
})
