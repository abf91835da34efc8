import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Command } from "commander"
import { VERSION } from "../src/version.ts"
import { CommandError, type Exit } from "./failures.ts"
import type { CommandContext, Run } from "./run.ts"

const PACKAGE = "turnpike-dev"

interface DevOptions {
  port?: string
  data?: string
  providers?: true
  demoData?: true
}

export function addDevCommand(program: Command, run: Run): void {
  program
    .command("dev")
    .description(`run the whole service on this machine, with a demo account (needs the package ${PACKAGE})`)
    .option("-p, --port <number>", "the port of the service (default: 8787)")
    .option("-d, --data <directory>", "the data directory (default: .local)")
    .option("--providers", "also run a demo provider with accounts")
    .option("--demo-data", "generate a month of usage at the first start; takes minutes")
    .action(run<[DevOptions]>(dev))
}

/** Runs the program of the package turnpike-dev, which is separate so that this package stays small. */
async function dev({ terminal }: CommandContext, { port, data, providers, demoData }: DevOptions): Promise<Exit> {
  const program = findProgram(terminal.cwd)
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

/** The program of the package next to the caller's project, or next to this package. */
function findProgram(cwd: string): string {
  for (const from of [join(cwd, "package.json"), import.meta.url]) {
    try {
      const manifest = createRequire(from).resolve(`${PACKAGE}/package.json`)
      return join(dirname(manifest), "src/local/start-package.js")
    } catch {
      // Not there: try the next place.
    }
  }
  throw new CommandError(`The package ${PACKAGE} is not installed.`, {
    hint: `Run: npm install --save-dev ${PACKAGE}@${VERSION}`,
  })
}
