import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestModule, TestProject } from "vitest/node"
import { DOCUMENTS, documentedName, type OpenApi } from "./declared.ts"

/** Operations that cannot succeed in the project `workers`, with the reason. */
const CANNOT_SUCCEED: Record<string, string> = {}

/**
 * Fails a run of the project `workers` in which a documented operation never succeeded. Only a run of all its tests
 * that passed is judged: no other run says what the tests lack.
 */
export default function setup(project: TestProject) {
  if (project.name !== "workers") return
  return async () => {
    const modules = project.vitest.state.getTestModules().filter((module) => module.project === project)
    const { testFiles } = await project.globTestFiles()
    const passed = new Set(modules.filter(isPassed).map(({ moduleId }) => moduleId))
    if (!testFiles.every((file) => passed.has(file))) return
    const succeeded = new Set(modules.flatMap((module) => module.meta().succeeded ?? []))
    const gaps = successGaps(await documented(project.config.root), succeeded, CANNOT_SUCCEED)
    if (gaps.length > 0) throw new Error(gaps.join("\n"))
  }
}

/** False if a test was skipped, as those that a filter leaves out. */
const isPassed = (module: TestModule): boolean =>
  module.state() === "passed" && [...module.children.allTests()].every((test) => test.result().state === "passed")

/** The names of all operations in the documents that the tests' service serves. */
async function documented(root: string): Promise<string[]> {
  const names = Object.values(DOCUMENTS).map(async ({ path, surface }) => {
    const { paths } = JSON.parse(await readFile(join(root, "dist/docs/all", path), "utf8")) as OpenApi
    return Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => documentedName(surface, one)))
  })
  return (await Promise.all(names)).flat()
}

/** The sentences that fail the run. */
export function successGaps(
  documented: readonly string[],
  succeeded: ReadonlySet<string>,
  excepted: Readonly<Record<string, string>>,
): string[] {
  const without = documented.filter((name) => !succeeded.has(name))
  const missing = without.filter((name) => !(name in excepted))
  const stale = Object.keys(excepted).filter((name) => !without.includes(name))
  const sentences: [string, string[]][] = [
    ["No test of the project workers has a success of these documented operations", missing],
    ["Remove these operations from CANNOT_SUCCEED, since they succeed or do not exist", stale],
  ]
  return sentences.flatMap(([sentence, names]) => (names.length > 0 ? `${sentence}: ${names.join(", ")}.` : []))
}
