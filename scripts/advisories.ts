import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { OWN_PACKAGES } from "./own-packages.ts"

/**
 * `npm run advisories` asks the registry of your npm for known vulnerabilities of all packages in our lock files. It
 * exits with 0 if there are none, with 1 if there are some, and with 2 if it could not check every lock file.
 */
const ROOT = join(import.meta.dirname, "..")
const LARGEST = 2 ** 26

interface Report {
  metadata?: { vulnerabilities: Record<string, number> }
  vulnerabilities?: Record<string, { severity: string; range: string; isDirect: boolean }>
  error?: { summary?: string }
  message?: string
}

function audit(folder: string, options: string[]): Promise<Report> {
  const args = ["audit", "--json", "--package-lock-only", ...options]
  return new Promise((done) => {
    // It exits with 1 if it finds something or fails; its output says which.
    execFile("npm", args, { cwd: join(ROOT, folder), maxBuffer: LARGEST }, (error, stdout) => {
      try {
        done(JSON.parse(stdout) as Report)
      } catch {
        done({ message: error?.message ?? "npm printed no report" })
      }
    })
  })
}

const scopes: [name: string, folder: string, options: string[]][] = [
  ["the deployed workers and the command line", ".", ["--omit", "dev"]],
  ["all packages of the root, with those of the local service", ".", []],
  ...Object.entries(OWN_PACKAGES).map(([folder, use]): [string, string, string[]] => [use, folder, []]),
]
let code = 0
for (const [name, folder, options] of scopes) {
  if (!existsSync(join(ROOT, folder, "package-lock.json"))) continue
  const { metadata, vulnerabilities = {}, error, message } = await audit(folder, options)
  if (!metadata) {
    console.log(`NOT CHECKED  ${name}: ${error?.summary || message || "npm gave no reason"}`)
    code = 2
    continue
  }
  const found = Object.entries(vulnerabilities)
  console.log(`${found.length === 0 ? "ok          " : "VULNERABLE  "} ${name}`)
  for (const [one, { severity, range }] of found) console.log(`  ${one} ${range}: ${severity}`)
  if (found.length > 0 && code === 0) code = 1
}
if (code === 2) {
  console.log(
    "\nThe registry of your npm answers no questions about advisories, so nothing is known about the lines with NOT CHECKED.\n" +
      "Run the command again with a registry that does (npm config get registry), or give the files of `npm run sbom` to a scanner.",
  )
}
process.exitCode = code
