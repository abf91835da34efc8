import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { startStack } from "../../src/local/stack.ts"

/** One stack of stand-ins for all tests: over packages, or over the servers that DATABASE_URL and REDIS_URL name. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-test-"))
  const stack = await startStack({
    dataDir,
    control: true,
    durable: false,
    schemaSql: await readFile("schema.sql", "utf8"),
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
  })
  project.provide("stackUrl", stack.url)
  return async () => {
    await stack.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

declare module "vitest" {
  export interface ProvidedContext {
    stackUrl: string
  }
}
