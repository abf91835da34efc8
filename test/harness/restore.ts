import { afterAll, vi } from "vitest"

// Several files run in one process. This undoes the mocks and faults of a test, even of a failed
// one, at the end of its file.
afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
