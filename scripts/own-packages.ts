import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"

const ROOT = join(import.meta.dirname, "..")

/**
 * The folders with packages of their own, which `npm ci` in the root does not install, and what needs them. Node finds
 * the packages of a folder from every file below it.
 */
export const OWN_PACKAGES = {
  scripts: "checks of texts, types, documents and format",
  generators: "tests with public generators of clients",
  bench: "the comparisons with pg-boss and a gateway",
} as const

export type PackageFolder = keyof typeof OWN_PACKAGES

/** The file that says which lock file the installed packages have. */
const markOf = (folder: string) => join(ROOT, folder, "node_modules/.installed")

/**
 * Installs the packages of these folders, from the registry of the user's npm, if they are missing or older than the
 * lock file. Throws with a cure if npm fails.
 */
export async function needPackages(...folders: PackageFolder[]): Promise<void> {
  for (const folder of folders) {
    const lock = await readFile(join(ROOT, folder, "package-lock.json"))
    const digest = createHash("sha256").update(lock).digest("hex")
    if ((await readFile(markOf(folder), "utf8").catch(() => "")) === digest) continue
    console.log(`Installing the packages of ${folder}/ (${OWN_PACKAGES[folder]}). npm ci in the root leaves them out.`)
    const code = await run("npm", ["ci", "--prefix", join(ROOT, folder), "--no-audit", "--no-fund"])
    if (code !== 0) {
      throw new Error(
        `npm could not install the packages of ${folder}/. Run \`npm ci --prefix ${folder}\` and try again.`,
      )
    }
    await writeFile(markOf(folder), digest)
  }
}

/** PATH with the programs of these folders first. */
export const pathWith = (...folders: PackageFolder[]) =>
  [...folders.map((folder) => join(ROOT, folder, "node_modules/.bin")), process.env.PATH].join(delimiter)

function run(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] })
  return new Promise((done, fail) => {
    child.once("error", fail)
    child.once("exit", (code) => done(code ?? 1))
  })
}
