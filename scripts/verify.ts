import { spawn } from "node:child_process"
import { resolve as pathTo } from "node:path"
import { needPackages, pathWith } from "./own-packages.ts"

/**
 * `npm run verify` runs all checks at once, before every commit. It prints the output of failed checks only. The first
 * run installs the packages that only checks need.
 */
const CHECKS: Record<string, string[]> = {
  types: ["tsc", "--noEmit"],
  "types of the web app": ["tsc", "--noEmit", "--project", "dashboard"],
  "budgets of the web app": ["node", "dashboard/build.ts"],
  "lint and format": ["biome", "check", "--error-on-warnings", "."],
  "format of SQL": ["node", "scripts/format-sql.ts"],
  "dead code": ["knip"],
  prose: ["node", "scripts/lint-prose.ts"],
  "table types": ["node", "scripts/generate-db-types.ts", "--check"],
  "types of the API": ["node", "scripts/generate-client.ts", "--check"],
  "released packages": ["node", "scripts/releases/check.ts"],
  "common passwords": ["node", "scripts/generate-common-passwords.ts", "--check"],
  "price feed": ["node", "scripts/generate-price-feed.ts", "--check"],
  OpenAPI: ["node", "scripts/lint-openapi.ts"],
  "compatibility of the API": ["node", "scripts/compare-openapi.ts"],
  commits: ["node", "scripts/check-commits.ts"],
  structure: ["vitest", "run", "--project", "structure"],
}

// Most checks are Node programs. The cache saves compiling their source again in each run.
const env = {
  NODE_COMPILE_CACHE: pathTo("node_modules/.cache/compiled"),
  ...process.env,
  PATH: pathWith("scripts"),
}

// The compiler checks the files of all folders.
await needPackages("scripts", "generators", "bench")

function check(name: string, [command = "", ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const started = Date.now()
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk))
    child.once("exit", (code) => {
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      if (code !== 0) console.log(output)
      resolve(code === 0)
    })
  })
}

const results = await Promise.all(Object.entries(CHECKS).map(([name, command]) => check(name, command)))
process.exit(results.every(Boolean) ? 0 : 1)
