import { writeFileSync } from "node:fs"
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
}

const MOST_OUTPUT = 20_000

/** Writes a `RunReport` to the file that TURNPIKE_REPORT names. */
export default class FailuresReporter implements Reporter {
  private vitest: Vitest | undefined
  private readonly outputs = new Map<string, string>()

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onUserConsoleLog({ content, taskId }: { content: string; taskId?: string }): void {
    const id = taskId === undefined ? undefined : this.vitest?.state.idMap.get(taskId)?.file.id
    if (id !== undefined) this.outputs.set(id, ((this.outputs.get(id) ?? "") + content).slice(-MOST_OUTPUT))
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const report: RunReport = {
      passed: count("passed"),
      failed: count("failed"),
      files: modules.filter((module) => module.state() === "failed").map((module) => this.describe(module)),
      unhandled: unhandled.map(({ message }) => message ?? "an error without a message"),
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
