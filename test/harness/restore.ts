import { afterAll, afterEach, vi } from "vitest"
import { expectAnswersFit, takeSuccesses } from "./answer-findings.ts"

/** A test whose requests got an answer that no document declares fails. */
afterEach(expectAnswersFit)

/** Reports what succeeded in this file to the judge of the whole run (every-success.ts). */
// biome-ignore lint/correctness/noEmptyPattern: the runner demands a pattern before the second argument
afterAll(async ({}, { file }) => {
  await expectAnswersFit()
  file.meta.succeeded = takeSuccesses()
})

// Several files run in one process. This undoes the mocks and faults of a test, even of a failed
// one, at the end of its file.
afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

declare module "vitest" {
  export interface TaskMeta {
    /** The operations that have succeeded in a file, as `documentedName` names them. */
    succeeded?: string[]
  }
}
