import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findChromium, launchChromium } from "../../scripts/browser.ts"
import { firstTurn } from "../../scripts/journeys/first-turn.ts"
import { goJourney } from "../../scripts/journeys/journey.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** The port of the sign-in address that it prints. */
const signInPort = ({ port }: Started) => port + 4

const isThere = findChromium() !== undefined
if (!isThere)
  console.log("Skipped: there is no Chromium. Install one (apt-get install chromium), or name it in CHROMIUM.")

/** All journeys: `npm run journeys`. */
describe.skipIf(!isThere)("the web app by keyboard alone", () => {
  let service: Started
  let browser: Browser

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([npmStart(), launchChromium()])
  }, 120_000)

  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  test("from the printed address to the first key, the first turn as it streams and its bill, in under a minute", async () => {
    const signIn = `http://127.0.0.1:${signInPort(service)}/`
    const { seconds, presses, wrong } = await goJourney(browser, firstTurn, { signIn, stamp: "one" })
    console.log(`${firstTurn.name}: ${seconds.toFixed(1)} s, ${presses} presses`)
    expect(wrong).toEqual([])
    expect(seconds).toBeLessThan(60)
  })
})
