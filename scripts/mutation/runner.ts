import { relative } from "node:path"
import { createVitest, type TestModule } from "vitest/node"

/** A request of the parent: run these files, after these sources have changed. */
export interface RunRequest {
  files: string[]
  changed: string[]
}

/** The first file that failed, which ends the run; null if all passed. */
export type RunAnswer = { failed: null } | { failed: string; why: string }

/** The files that ended in this run. Vitest itself keeps the files of all runs. */
const ended: TestModule[] = []

/** The Vitest instance of this process. It keeps its stand-ins and transformed modules for all runs. */
const vitest = await createVitest("test", {
  watch: false,
  bail: 1,
  // Few, because each worker loads all of the source again in each run.
  maxWorkers: 2,
  project: ["workers", "node"],
  reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
  silent: true,
  testTimeout: 60_000,
})
await vitest.standalone()
process.send?.("ready")

process.on("message", async ({ files, changed }: RunRequest) => {
  for (const source of changed) vitest.invalidateFile(source)
  ended.length = 0
  const specifications = await vitest.globTestSpecifications(files)
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications)
  process.send?.(answerOf(specifications.length, unhandledErrors))
})

function answerOf(asked: number, unhandled: unknown[]): RunAnswer {
  const module = ended.find((one) => one.state() === "failed")
  if (module) {
    const inTests = [...module.children.allTests()].flatMap((test) => test.result().errors ?? [])
    const [error] = [...inTests, ...module.errors()]
    return { failed: relative(process.cwd(), module.moduleId), why: firstLine(error?.message) }
  }
  if (unhandled.length > 0) return { failed: "an error outside of tests", why: firstLine(String(unhandled[0])) }
  if (ended.length < asked) return { failed: "a worker that ended", why: "" }
  return { failed: null }
}

const firstLine = (text = "") => text.split("\n", 1)[0] ?? ""

// Emitted when the parent has ended.
process.on("disconnect", async () => {
  await vitest.close()
  process.exit(0)
})
