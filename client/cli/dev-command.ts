import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Command } from "commander"
import { DEV_PACKAGE } from "../src/names.ts"
import { VERSION } from "../src/version.ts"
import { CommandError, type Exit } from "./failures.ts"
import type { CommandContext, Run } from "./run.ts"
import type { Terminal } from "./terminal.ts"

interface DevOptions {
  port?: string
  data?: string
  providers?: true
  demoData?: true
}

export function addDevCommand(program: Command, run: Run): void {
  program
    .command("dev")
    .description("run the whole service on this machine, with a demo account")
    .option("-p, --port <number>", "the port of the service (default: 8787)")
    .option("-d, --data <directory>", "the data directory (default: .local)")
    .option("--providers", "also run a demo provider with accounts")
    .option("--demo-data", "generate a month of usage at the first start; takes minutes")
    .action(run<[DevOptions]>(dev))
    .addHelpText("after", `\nThe service is the package ${DEV_PACKAGE}. The first run installs it for this user.`)
}

/** Runs the program of the package with the service, which is separate so that this package stays small. */
async function dev({ terminal }: CommandContext, { port, data, providers, demoData }: DevOptions): Promise<Exit> {
  const program = findProgram([join(terminal.cwd, "package.json"), import.meta.url]) ?? (await install(terminal))
  const args = [
    ...(port === undefined ? [] : ["--port", port]),
    ...(data === undefined ? [] : ["--data", data]),
    ...(providers ? ["--providers"] : []),
    ...(demoData ? ["--demo-data"] : []),
  ]
  // The program stops its servers in order. It notices by the channel that this process ended, also after a kill -9.
  const child = spawn(process.execPath, [program, ...args], {
    cwd: terminal.cwd,
    env: terminal.env,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  })
  const stop = () => child.connected && child.disconnect()
  terminal.signal.addEventListener("abort", stop, { once: true })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", resolve)
  })
  return code === 0 ? "ok" : "broken"
}

/** The program of the first installed package that these modules find. */
function findProgram(modules: readonly string[]): string | undefined {
  for (const from of modules) {
    try {
      const manifest = createRequire(from).resolve(`${DEV_PACKAGE}/package.json`)
      return join(dirname(manifest), "src/local/start-package.js")
    } catch {
      // Not there: try the next place.
    }
  }
  return undefined
}

/** Installs the package of this version in the user's cache, once, and returns its program. */
async function install({ env, home, cwd, err, signal }: Terminal): Promise<string> {
  // A version between two releases is in no registry.
  if (VERSION.endsWith("-dev")) {
    throw new CommandError(`The package ${DEV_PACKAGE} is not installed, and version ${VERSION} is not published.`, {
      hint: "Start the service from a clone of its repository: npm ci && npm start",
    })
  }
  const folder = join(env.XDG_CACHE_HOME || join(home, ".cache"), "turnpike", `dev-${VERSION}`)
  // npm writes this file last, so an install that was interrupted is repeated.
  if (!existsSync(join(folder, "package-lock.json"))) {
    err(`Installing ${DEV_PACKAGE}@${VERSION} in ${folder} …\n`)
    const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", `${DEV_PACKAGE}@${VERSION}`]
    const isWindows = process.platform === "win32"
    const child = spawn("npm", args, { cwd, env, signal, stdio: ["ignore", 2, "inherit"], shell: isWindows })
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject)
      child.once("exit", resolve)
    })
    if (code !== 0) throw new CommandError(`npm could not install ${DEV_PACKAGE}@${VERSION}.`)
  }
  const program = findProgram([join(folder, "package.json")])
  if (!program) throw new CommandError(`${folder} has no ${DEV_PACKAGE}.`, { hint: `Delete ${folder}.` })
  return program
}
