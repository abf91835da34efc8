import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium, type ShownService, serviceAt } from "../../scripts/browser.ts"
import { describeAnswer } from "../../scripts/journeys/asking.ts"
import { answersOf } from "../../scripts/journeys/questions.ts"
import { hasBrowser } from "../harness/web-app.ts"

/** `npm run journeys -- --questions` asks the same of an account with 100,000 turns. */
const SIZE = { customers: 1_000, spaces: 50, turns: 4_000 }

/** The most acts from Home or Overview to an answer. */
const MOST_ACTS = 12

describe.skipIf(!hasBrowser)("The questions of a newcomer, an owner and an operator", () => {
  let service: ShownService
  let browser: Browser

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([serviceAt(undefined), launchChromium()])
  })
  afterAll(() => Promise.all([browser?.close(), service?.stop()]))

  test("Each of them is answered in the web app, from Home or Overview on, in few acts", async () => {
    const { signIn, dataDir } = service
    if (!dataDir) throw new Error("the service has no data directory")
    const answers = []
    for await (const answer of answersOf({ browser, signIn, dataDir, size: SIZE })) {
      console.log(describeAnswer(answer))
      answers.push(answer)
    }
    expect(answers).toHaveLength(31)
    for (const { question, acts, answer } of answers) {
      expect(answer, question).not.toBe("")
      expect(acts, question).toBeLessThanOrEqual(MOST_ACTS)
    }
  })
})
