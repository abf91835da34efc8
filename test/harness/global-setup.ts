import { type ChildProcess, spawn } from "node:child_process"
import { subscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { ProvidedContext } from "vitest"
import type { TestProject } from "vitest/node"
import { requireBaseline } from "../../scripts/baseline.ts"
import { buildStaticFiles } from "../../src/local/build-worker.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { muteCutConnections } from "./workerd-noise.ts"

/** One stack of stand-ins for all tests: from packages, or on the servers at DATABASE_URL and REDIS_URL. */
export default async function setup(project: TestProject) {
  await requireBaseline()
  subscribe("child_process", endWorkerd)
  // A test that starts the service must not replace the files of the others.
  const built = buildStaticFiles(process.cwd())
  // A separate process, because modules resolve here as in a browser, which breaks the Lua of the
  // Redis stand-in.
  const child = spawn("node", ["test/harness/stack-process.ts"], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended])
  if (typeof line !== "string") throw new Error("the stand-ins did not start")
  const urls = JSON.parse(line) as ProvidedContext
  const names = [
    "stackUrl",
    "modelUrl",
    "mcpUrl",
    "customerUrl",
    "garbageUrl",
    "serviceUrl",
    "fragileUrl",
    "openIdUrl",
  ] as (keyof ProvidedContext)[]
  for (const name of names) project.provide(name, urls[name])
  await built
  const unmute = muteCutConnections()
  return async () => {
    child.kill("SIGTERM")
    await ended
    unmute()
  }
}

/**
 * Makes a workerd that the runner starts end with it. One whose runner was killed notices that only when it writes to
 * it, and an idle one never does.
 */
function endWorkerd(message: unknown): void {
  const child = (message as { process: ChildProcess }).process
  child.once("spawn", () => {
    const { pid, spawnfile } = child
    if (pid === undefined || !/workerd$/.test(spawnfile)) return
    child.once("exit", endWithUs({ pid, words: ["workerd"], signals: ["SIGKILL"] }))
  })
}

declare module "vitest" {
  export interface ProvidedContext {
    stackUrl: string
    modelUrl: string
    mcpUrl: string
    customerUrl: string
    /** The URL that returns the demo.json of `npm start`. The first request starts the service. */
    serviceUrl: string
    garbageUrl: string
    /** The URL that makes stacks whose PostgreSQL a test may stop. */
    fragileUrl: string
    /** The issuer of a certified OpenID provider. */
    openIdUrl: string
  }
}
