import { afterAll, vi } from "vitest"

// File after file runs in one process: what a test has put in the place of something, or had to leave as it failed, ends with its file.
afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
