import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { TestProject } from "vitest/node"

/** One stack of stand-ins for all tests: over packages, or over the servers that DATABASE_URL and REDIS_URL name. */
export default async function setup(project: TestProject) {
  // A process of its own: here, modules resolve as in a browser, which breaks the Redis stand-in's Lua.
  const child = spawn("node", ["test/harness/stack-process.ts"], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), ended])
  if (typeof line !== "string") throw new Error("the stand-ins did not start")
  const { stackUrl, modelUrl } = JSON.parse(line)
  project.provide("stackUrl", stackUrl)
  project.provide("modelUrl", modelUrl)
  return async () => {
    child.kill("SIGTERM")
    await ended
  }
}

declare module "vitest" {
  export interface ProvidedContext {
    stackUrl: string
    modelUrl: string
  }
}
