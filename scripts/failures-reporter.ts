import { writeFileSync, writeSync } from "node:fs"
import type { Reporter, TestModule, Vitest } from "vitest/node"

/** A test file that failed, with the details to repeat the failure. */
export interface FailedFile {
  /** The path relative to the project's folder. */
  file: string
  /** The project of vitest.config.ts that ran the file. */
  project: string
  errors: string[]
  /** Everything that the file printed, including its seeds. */
  output: string
}

export interface RunReport {
  passed: number
  failed: number
  files: FailedFile[]
  /** Errors outside of test files, such as a server that did not start. */
  unhandled: string[]
  /** The files that took longest, in words. */
  slowest: string[]
}

const MOST_OUTPUT = 20_000
/** Files that take longer are named during the run, as those that fail. */
const SLOW_MS = 60_000
/** The number of files in the list of the slowest ones. */
const MOST_SLOW = 15
/** The stream for progress, if the environment has TURNPIKE_PROGRESS: the output itself is shown after the run. */
const PROGRESS_FD = 3

/** Writes a `RunReport` to the file that TURNPIKE_REPORT names. */
export default class FailuresReporter implements Reporter {
  private vitest: Vitest | undefined
  private readonly outputs = new Map<string, string>()
  private readonly began = performance.now()
  private ended = 0

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onUserConsoleLog({ content, taskId }: { content: string; taskId?: string }): void {
    const id = taskId === undefined ? undefined : this.vitest?.state.idMap.get(taskId)?.file.id
    if (id !== undefined) this.outputs.set(id, ((this.outputs.get(id) ?? "") + content).slice(-MOST_OUTPUT))
  }

  onTestModuleEnd(module: TestModule): void {
    this.ended++
    const hasFailed = module.state() === "failed"
    if (!hasFailed && tookMs(module) < SLOW_MS && this.ended % 50 !== 0) return
    const at = seconds(performance.now() - this.began)
    progress(`${at}  ${this.ended} files; ${describeTime(module)}${hasFailed ? " FAILED" : ""}`)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const report: RunReport = {
      passed: count("passed"),
      failed: count("failed"),
      files: modules.filter((module) => module.state() === "failed").map((module) => this.describe(module)),
      unhandled: unhandled.map(({ message }) => message ?? "an error without a message"),
      slowest: modules
        .toSorted((a, b) => tookMs(b) - tookMs(a))
        .slice(0, MOST_SLOW)
        .map(describeTime),
    }
    writeFileSync(process.env.TURNPIKE_REPORT as string, JSON.stringify(report))
  }

  private describe(module: TestModule): FailedFile {
    const failed = [...module.children.allTests("failed")]
    const errors = failed.map((test) => `${test.fullName}: ${test.result().errors?.[0]?.message ?? "failed"}`)
    return {
      file: module.relativeModuleId,
      project: module.project.name,
      errors: [...module.errors().map(({ message }) => message), ...errors],
      output: this.outputs.get(module.id) ?? "",
    }
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`

/** How long the tests of a file and its hooks took. */
const tookMs = (module: TestModule) => module.diagnostic().duration

const describeTime = (module: TestModule) =>
  `${seconds(tookMs(module))} ${module.relativeModuleId} (${module.project.name})`

function progress(line: string): void {
  if (!process.env.TURNPIKE_PROGRESS) return
  try {
    writeSync(PROGRESS_FD, `${line}\n`)
  } catch {
    // A full pipe does not fail the run.
  }
}
