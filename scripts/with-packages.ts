import { spawn } from "node:child_process"
import { needPackages, OWN_PACKAGES, type PackageFolder, pathWith } from "./own-packages.ts"

/**
 * `node scripts/with-packages.ts FOLDER COMMAND [ARGUMENTS]` runs a command that needs the packages of a folder, and
 * installs them before if they are missing.
 */
const [folder = "", command = "", ...args] = process.argv.slice(2)
if (!Object.hasOwn(OWN_PACKAGES, folder)) throw new Error(`Name a folder: ${Object.keys(OWN_PACKAGES).join(", ")}.`)
await needPackages(folder as PackageFolder)
const env = { ...process.env, PATH: pathWith(folder as PackageFolder) }
const child = spawn(command, args, { stdio: "inherit", env })
child.once("error", (error) => {
  console.error(error.message)
  process.exit(1)
})
child.once("exit", (code, signal) => {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code ?? 1)
})
