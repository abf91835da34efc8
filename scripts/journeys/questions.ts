import type { Browser } from "playwright-core"
import { type Answered, ask, type JourneyQuestion } from "./asking.ts"
import { BUSY, type BusySize, makeBusyAccount } from "./busy-account.ts"
import { NEWCOMERS_QUESTION } from "./newcomer-question.ts"
import { makeOpenMatters } from "./open-matters.ts"
import { OPERATORS_QUESTIONS } from "./operator-questions.ts"
import { OWNERS_QUESTIONS } from "./owner-questions.ts"

interface Asked {
  browser: Browser
  signIn: string
  /** The data directory of the service. */
  dataDir: string
  size?: BusySize
}

/**
 * Asks the questions of a newcomer, of an owner with many customers and of an operator, one after the other. Some of
 * them change the account for the next ones. Throws at the first question without an answer.
 */
export async function* answersOf({ browser, signIn, dataDir, size = BUSY }: Asked): AsyncGenerator<Answered> {
  await makeBusyAccount(dataDir, size)
  const matters = await makeOpenMatters(browser, signIn)
  const asked: [as: string, question: JourneyQuestion][] = [
    ["Barbara", NEWCOMERS_QUESTION],
    ...OWNERS_QUESTIONS.map((one): [string, JourneyQuestion] => [BUSY.owner, one]),
    ...OPERATORS_QUESTIONS.map((one): [string, JourneyQuestion] => ["Admin", one]),
  ]
  for (const [as, question] of asked) yield ask({ browser, signIn, as, matters }, question)
}
