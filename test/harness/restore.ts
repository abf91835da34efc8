import { afterAll, afterEach, vi } from "vitest"
import { expectAnswersFit } from "./answer-findings.ts"

/** A test whose requests got an answer that no document declares fails. */
afterEach(expectAnswersFit)

// Several files run in one process. This undoes the mocks and faults of a test, even of a failed
// one, at the end of its file.
afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
