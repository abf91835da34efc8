import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import { makeDataDirectory } from "./data-directory.ts"
import { servePackages } from "./package-registry.ts"
import { runProgram } from "./packed-client.ts"
import { startProgram } from "./running-program.ts"

/** Variables of a developer that would change the commands. */
const OWN = /^(DATABASE_URL|REDIS_URL|ANTHROPIC_.*|OPENAI_.*|TURNPIKE_.*|npm_.*|NODE_.*|VITEST.*)$/

interface Finished {
  code: number | null
  out: string
  err: string
  seconds: number
}

/** Builds both packages, and installs their tarballs in an empty folder. Dependencies come from a local registry. */
export async function openCustomerFolder() {
  const dir = await makeDataDirectory("customer")
  const tarballs = join(dir, "tarballs")
  const project = join(dir, "project")
  for (const folder of [tarballs, project]) await mkdir(folder)
  for (const name of ["client", "dev"]) {
    await runProgram("node", [`scripts/build-${name}.ts`, join(dir, name)])
    await runProgram("npm", ["pack", "--silent", "--pack-destination", tarballs], { cwd: join(dir, name) })
  }
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name))),
    TURNPIKE_CONFIG: join(dir, "config.json"),
  }
  const registry = await servePackages(join(dir, "registry"))
  const started = performance.now()
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const files = (await readdir(tarballs)).map((name) => join(tarballs, name))
  const options = ["--registry", registry.url, "--cache", join(dir, "cache"), "--no-audit", "--no-fund"]
  await runProgram("npm", ["install", ...options, ...files], { cwd: project, env }).finally(registry.stop)

  const start = (program: string, args: string[], more: NodeJS.ProcessEnv = {}) =>
    startProgram(program, args, { cwd: project, env: { ...env, ...more } })
  const turnpike = (...args: string[]) => start("npx", ["--offline", CLIENT_PACKAGE, ...args])
  return {
    project,
    env,
    installSeconds: (performance.now() - started) / 1000,
    start,
    /** Runs a command of the command line to its end. */
    async run(args: string[], more: NodeJS.ProcessEnv = {}): Promise<Finished> {
      const began = performance.now()
      const running = start("npx", ["--offline", CLIENT_PACKAGE, ...args], more)
      const code = await running.ended
      return { code, out: running.out, err: running.err, seconds: (performance.now() - began) / 1000 }
    },
    turnpike,
  }
}
