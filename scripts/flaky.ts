import type { FailedFile, RunReport } from "./failures-reporter.ts"

/** A CI run with more flaky files than this fails. */
export const MOST_FLAKY = 2

export interface RunVerdict {
  /** The files that failed once and then passed alone. */
  flaky: FailedFile[]
  /** The files that failed twice. */
  failed: FailedFile[]
  isOk: boolean
}

/**
 * Runs each failed file once more, alone. The run passes if all of them pass then, and if there are at most
 * `MOST_FLAKY` flaky files including the `before` files of earlier runs. Nothing is retried after an error outside of
 * test files, or if more files failed.
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

/** Lists the failed tests of a run with their errors, one a line, by file. */
export function listFailures({ files, unhandled }: RunReport): string {
  const lines = files.flatMap(({ file, project, errors }) => [`  ${file} (${project})`, ...errors.map(indent)])
  return ["These tests failed:", ...lines, ...unhandled.map((error) => `  outside any test file: ${error}`)].join("\n")
}

const indent = (text: string) => `    ${text.replaceAll("\n", "\n    ")}`

/** Describes a flaky file for the end of the run: its first failure with everything that it printed. */
export const describeFlaky = (file: FailedFile): string =>
  describe(file, "FLAKY", ": failed once, passed when it ran again alone")

/** The same for a file that fails the run. */
export const describeFailed = (file: FailedFile): string => describe(file, "FAILED", "")

function describe({ file, project, errors, output }: FailedFile, verdict: string, about: string): string {
  const said = output.trim().split("\n").filter(Boolean)
  return [`${verdict} ${file} (${project})${about}`, ...errors, ...said]
    .map((line, at) => (at === 0 ? line : `    ${line}`))
    .join("\n")
}
