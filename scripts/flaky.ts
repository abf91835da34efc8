import type { FailedFile, RunReport } from "./failures-reporter.ts"

/** More flaky files than this in one CI run, and the run fails. */
export const MOST_FLAKY = 2

export interface RunVerdict {
  /** Failed once and passed alone. */
  flaky: FailedFile[]
  /** Failed twice. */
  failed: FailedFile[]
  isOk: boolean
}

/**
 * Runs each failed file once more, alone. The run is still good when all of them pass then, and no more than `MOST_FLAKY` files were
 * flaky, with the `before` ones of earlier runs. Errors outside test files, and more failed files than could be flaky, are not retried.
 */
export async function judge(
  { files, unhandled }: RunReport,
  before: number,
  passesAlone: (file: FailedFile) => Promise<boolean>,
): Promise<RunVerdict> {
  if (unhandled.length > 0 || before + files.length > MOST_FLAKY) return { flaky: [], failed: files, isOk: false }
  const flaky: FailedFile[] = []
  const failed: FailedFile[] = []
  for (const file of files) ((await passesAlone(file)) ? flaky : failed).push(file)
  return { flaky, failed, isOk: failed.length === 0 }
}

/** The last lines of a run: each flaky file with its first failure and all that it printed then. */
export function describeFlaky({ file, project, errors, output }: FailedFile): string {
  const said = output.trim().split("\n").filter(Boolean)
  return [`FLAKY ${file} (${project}): failed once, passed when it ran again alone`, ...errors, ...said]
    .map((line, at) => (at === 0 ? line : `    ${line}`))
    .join("\n")
}
