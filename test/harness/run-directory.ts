import { endWithNpm, onceGone } from "../../src/local/lifecycle.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

/**
 * Gives a test run one temporary directory, which is removed when the run ends, even by `kill -9`.
 * Tests and packages put their temporary files there. It also ends the run when its npm or the
 * script of its tier ends.
 */
export async function ownRun(): Promise<void> {
  if (process.env.RUN_DIRECTORY !== undefined) return
  process.env.RUN_DIRECTORY = process.env.TMPDIR = await makeTemporaryDirectory("run")
  await endWithNpm(() => process.exit(1))
  const runner = Number(process.env.TEST_RUNNER)
  if (runner) onceGone(runner, () => process.exit(1))
}
