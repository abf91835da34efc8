import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

export const runProgram = promisify(execFile)

export interface Tarball {
  filename: string
  unpackedSize: number
  files: { path: string }[]
}

/** A customer's project with the client installed from its tarball, without a network. */
export async function installPackedClient() {
  const dir = await mkdtemp(join(tmpdir(), "turnpike-customer-"))
  const project = await mkdtemp(join(dir, "customer-"))
  await runProgram("node", ["scripts/build-client.ts", join(dir, "package")])
  const { stdout } = await runProgram("npm", ["pack", "--json", "--pack-destination", dir], {
    cwd: join(dir, "package"),
  })
  // Versions of npm return an array, or an object by name.
  const tarball = Object.values(JSON.parse(stdout) as Record<string, Tarball>)[0] as Tarball
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "customer", private: true, type: "module" }))
  const options = ["--offline", "--no-audit", "--no-fund", "--cache", join(dir, "cache")]
  await runProgram("npm", ["install", ...options, join(dir, tarball.filename)], { cwd: project })
  return { project, tarball, remove: () => rm(dir, { recursive: true, force: true }) }
}
