import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { cp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { compareVersions, isRelease, releasedVersions } from "./releases/released.ts"
import { changeVersion, closeChangelog, readChangelog, setRepository, webAddress } from "./releases/versions.ts"
import { AUTHOR, commit, copyCheckout } from "./releases/working-copy.ts"

const USAGE = `npm run release -- VERSION [OPTIONS] makes a release, in two commits and a tag.

It closes the changelog's section, gives the clients the version, takes the OpenAPI document as the released one, packs
the clients into releases/, and runs npm run verify. Then it begins the next version, which ends in -dev.
It pushes nothing: the tag starts the workflow that publishes the packages.

  --repository URL  the address of the repository, for the packages (default: that of the remote "origin")
  --dry-run         do all of it in a copy of this folder, and keep only the files in dist/release
  --keep DIR        with --dry-run: make the copy in DIR, and keep it too
  --next [VERSION]  only begin the next version
  --help            print this text`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repository: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    keep: { type: "string" },
    next: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})
const run = promisify(execFile)
const ROOT = join(import.meta.dirname, "..")
const isDry = values["dry-run"]

class ReleaseFault extends Error {}

try {
  if (values.help) console.log(USAGE)
  else if (values.next) await begin(ROOT, await versionOf(ROOT), positionals[0])
  else if (isDry) await rehearse(positionals[0] ?? "")
  else await release(ROOT, positionals[0] ?? "")
} catch (error) {
  if (!(error instanceof ReleaseFault)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** Releases in a copy, and keeps the files. The checks of `npm run verify` stay those of the real release. */
async function rehearse(version: string): Promise<void> {
  const copy = await copyCheckout(ROOT, values.keep)
  await release(copy, version)
  await cp(join(copy, "dist/release"), join(ROOT, "dist/release"), { recursive: true })
  const { stdout } = await run("git", ["log", "--format=%s%d", "-2"], { cwd: copy })
  console.log(`Nothing was changed. The commits would be:\n${stdout}The files are in dist/release.`)
}

async function release(root: string, version: string): Promise<void> {
  const from = await versionOf(root)
  await requireReleasable(root, version, from)
  const author = isDry ? AUTHOR : []
  await setRepository(root, await repository(root))
  await closeChangelog(root, version, new Date().toISOString().slice(0, 10))
  await changeVersion(root, from, version)
  await step(root, "comparing the API with the last release", ["scripts/compare-openapi.ts"])
  await step(root, "taking the OpenAPI document as the released one", ["scripts/compare-openapi.ts", "--release"])
  await step(root, "packing", ["scripts/releases/artefacts.ts", "dist/release"])
  await step(root, "checking the packages", ["scripts/releases/check.ts"])
  if (!isDry) await step(root, "npm run verify", ["scripts/verify.ts"])
  await commit(root, `release: ${version}`, author)
  const notes = `Turnpike ${version}\n\n${await readChangelog(root, version)}`
  // Headings begin with the character of git's comments.
  const options = ["--annotate", "--cleanup=verbatim", "--message", notes]
  await run("git", [...author, "tag", ...options, `v${version}`], { cwd: root })
  await begin(root, version)
  await commit(root, `release: begin ${await versionOf(root)}`, author)
  console.log(`Released ${version}. Publish it with: git push origin HEAD v${version}`)
}

/** Gives the sources the version after `version`: the next minor one, unless `to` names another. */
async function begin(root: string, version: string, to?: string): Promise<void> {
  if (!isRelease(version)) throw new ReleaseFault(`The sources have version ${version}, which is not released.`)
  const [major, minor] = version.split(".").map(Number) as [number, number]
  await changeVersion(root, version, `${to ?? `${major}.${minor + 1}.0`}-dev`)
}

async function requireReleasable(root: string, version: string, from: string): Promise<void> {
  if (!isRelease(version)) throw new ReleaseFault(`Name the version, such as 0.1.0.\n\n${USAGE}`)
  if (isRelease(from)) throw new ReleaseFault(`The sources are ${from} already. Begin the next version with --next.`)
  const last = (await releasedVersions(root)).at(-1)
  if (last !== undefined && compareVersions(version, last) <= 0)
    throw new ReleaseFault(`Version ${version} does not follow the released ${last}.`)
  const { stdout } = await run("git", ["status", "--porcelain"], { cwd: root })
  if (stdout.trim()) throw new ReleaseFault(`Commit or remove these changes before a release:\n${stdout}`)
}

async function repository(root: string): Promise<string> {
  if (values.repository) return webAddress(values.repository)
  const { stdout } = await run("git", ["remote", "get-url", "origin"], { cwd: root }).catch(() => ({ stdout: "" }))
  if (/^(https:|git@|ssh:)/.test(stdout)) return webAddress(stdout)
  throw new ReleaseFault('The remote "origin" has no public address. Name the repository with --repository.')
}

async function versionOf(root: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, "client/package.json"), "utf8")) as { version: string }
  return manifest.version
}

/** Runs a script of the checkout, which reads the new version. */
async function step(root: string, what: string, args: string[]): Promise<void> {
  console.log(`— ${what}`)
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
  const [code] = (await once(child, "exit")) as [number | null]
  if (code !== 0) throw new ReleaseFault(`This step failed. Nothing was committed: ${args.join(" ")}`)
}
