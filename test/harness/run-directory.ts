import { endWithNpm, onceGone } from "../../src/local/lifecycle.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"

/**
 * For a run of tests, in the process of the runner: gives all that it starts a temporary directory, which goes with it, as after a
 * `kill -9`, and ends it with its npm and with the script that runs a tier. Tests and packages put their temporary files there without a word about it.
 */
export async function ownRun(): Promise<void> {
  if (process.env.RUN_DIRECTORY !== undefined) return
  process.env.RUN_DIRECTORY = process.env.TMPDIR = await makeTemporaryDirectory("run")
  await endWithNpm(() => process.exit(1))
  const runner = Number(process.env.TEST_RUNNER)
  if (runner) onceGone(runner, () => process.exit(1))
}
