import { execFileSync } from "node:child_process"
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { CLIENT_PACKAGE, DEV_PACKAGE } from "../../client/src/names.ts"
import { servicePort } from "../../scripts/service-port.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { npmStart } from "../harness/npm-start.ts"
import { manifestIn, servePackages } from "../harness/package-registry.ts"
import { runProgram } from "../harness/packed-client.ts"
import { startProgram } from "../harness/running-program.ts"

const REPOSITORY = "https://git.example.com/turnpike/turnpike"
const TARBALL = "turnpike-turns-client-0.1.0.tgz"
const AI_SDK_TARBALL = "turnpike-turns-ai-sdk-0.1.0.tgz"

let dir: string
let copy: string
let said: string
const artefact = (name: string) => join(copy, "dist/release", name)
const inCopy = (program: string, ...args: string[]) => runProgram(program, args, { cwd: copy, maxBuffer: 2 ** 26 })
/** Gives the copy the files of a commit. */
const at = (revision: string) => inCopy("git", "checkout", "--quiet", "--force", revision)
const state = () => execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" })

/** Runs the check of released packages in the copy. Returns its faults, or an empty text. */
const check = () =>
  inCopy("node", "scripts/releases/check.ts").then(
    () => "",
    ({ stderr }: { stderr: string }) => stderr,
  )

beforeAll(async () => {
  dir = await makeDataDirectory("release-test")
  copy = join(dir, "copy")
  const before = state()
  const options = ["--dry-run", "--keep", copy, "--repository", REPOSITORY]
  said = (await runProgram("node", ["scripts/release.ts", "0.1.0", ...options], { maxBuffer: 2 ** 26 })).stdout
  expect(state()).toBe(before)
})

afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }))

test("A dry run of a release makes two commits and a tag with the changelog in a copy, and names every artefact", async () => {
  expect(said).toContain("release: 0.1.0 (tag: v0.1.0)")
  expect(said).toContain("release: begin 0.2.0-dev")
  await runProgram("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(copy, "releases/0.1.0") })
  await runProgram("sha256sum", ["--check", "SHA256SUMS"], { cwd: join(copy, "dist/release") })
  expect((await readdir(join(copy, "releases/0.1.0"))).sort()).toEqual([
    "SHA256SUMS",
    AI_SDK_TARBALL,
    TARBALL,
    "turnpike_turns-0.1.0-py3-none-any.whl",
    "turnpike_turns-0.1.0.tar.gz",
  ])
  const { stdout: notes } = await inCopy("git", "tag", "--list", "--format=%(contents)", "v0.1.0")
  expect(notes).toMatch(/^Turnpike 0\.1\.0\n\n### Added\n/)
  const changelog = await readFile(join(copy, "CHANGELOG.md"), "utf8")
  expect(changelog).toMatch(/## \[Unreleased\]\n\n## \[0\.1\.0\] - \d{4}-\d{2}-\d{2}\n/)
  const { stdout: readme } = await inCopy("git", "show", "v0.1.0:client/README.md")
  expect(readme).toContain(`/client/${TARBALL} `)
  expect(await readFile(join(copy, "client/README.md"), "utf8")).toContain("turnpike-turns-client-0.2.0-dev.tgz")
})

test("The metadata of each package names its repository, licence, files and supported versions", async () => {
  for (const name of [TARBALL, AI_SDK_TARBALL, "turnpike-turns-dev-0.1.0.tgz"]) {
    const manifest = await manifestIn(artefact(name))
    expect(manifest, name).toMatchObject({
      version: "0.1.0",
      license: "Apache-2.0",
      homepage: `${REPOSITORY}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
      repository: { type: "git", url: `git+${REPOSITORY}.git` },
      keywords: expect.arrayContaining(["turnpike"]),
      files: expect.any(Array),
      engines: { node: expect.stringMatching(/^>=\d/) },
      publishConfig: { access: "public" },
    })
  }
  // Files of the wheel are not compressed.
  const wheel = await readFile(artefact("turnpike_turns-0.1.0-py3-none-any.whl"), "utf8")
  const { stdout: sdist } = await runProgram("tar", [
    "-xzOf",
    artefact("turnpike_turns-0.1.0.tar.gz"),
    "turnpike_turns-0.1.0/PKG-INFO",
  ])
  expect(wheel).toContain(sdist)
  for (const line of [
    "Name: turnpike-turns",
    "Version: 0.1.0",
    `Project-URL: Repository, ${REPOSITORY}`,
    "License: Apache-2.0",
  ])
    expect(sdist.split("\n")).toContain(line)
})

test("A change of a client under a released version is a fault, and under the next version it is allowed", async () => {
  await at("main")
  expect(await check()).toBe("")
  const source = join(copy, "client/src/retry.ts")
  await appendFile(source, "export const CHANGED = true\n")
  expect(await check()).toBe("")
  await at("v0.1.0")
  expect(await check()).toBe("")
  await appendFile(source, "export const CHANGED = true\n")
  expect(await check()).toMatch(/changed after their release 0\.1\.0: .*retry\.js[\s\S]*npm run release -- --next/)
  await at("v0.1.0")
  await appendFile(join(copy, "ai-sdk/src/digest.ts"), "export const CHANGED = true\n")
  expect(await check()).toMatch(/changed after their release 0\.1\.0: .*digest\.js/)
  await at("v0.1.0")
  await appendFile(join(copy, "client-python/src/turnpike_turns/errors.py"), "# Changed\n")
  expect(await check()).toMatch(/changed after their release 0\.1\.0: turnpike_turns-0\.1\.0-py3-none-any\.whl/)
  await at("v0.1.0")
})

test("A changed, a missing and an additional file of a release are faults, with and without its checksum", async () => {
  const released = join(copy, "releases/0.1.0")
  await at("main")
  await appendFile(join(released, TARBALL), "x")
  expect(await check()).toContain(`${TARBALL} is not the published file`)
  await runProgram("sh", ["-c", "sha256sum turnpike* > SHA256SUMS"], { cwd: released })
  expect(await check()).toContain("releases/0.1.0 differs from the tag v0.1.0")
  await at("main")
  await rm(join(released, TARBALL))
  expect(await check()).toContain(`${TARBALL} is not the published file`)
  await at("main")
  await writeFile(join(released, "more.txt"), "")
  expect(await check()).toContain("more.txt is not the published file")
  await rm(join(released, "more.txt"))
  expect(await check()).toBe("")
})

test("A lock file of the released client works for `npm ci` with a newer service whose client has other bytes", async () => {
  const project = await mkdtemp(join(dir, "customer-"))
  const cache = () => mkdtemp(join(dir, "cache-"))
  const npm = async (...args: string[]) =>
    runProgram("npm", [...args, "--no-audit", "--no-fund", "--cache", await cache()], { cwd: project })
  await at("v0.1.0")
  const older = await npmStart(undefined, copy)
  const former = { dataDir: await makeDataDirectory("newer"), port: older.port }
  try {
    await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
    await npm("install", `${older.base_url}/client/${TARBALL}`)
    const served = await fetch(`${older.base_url}/client/${TARBALL}`)
    expect(Buffer.from(await served.arrayBuffer()).equals(await readFile(artefact(TARBALL)))).toBe(true)
  } finally {
    await older.stop()
  }
  const lock = await readFile(join(project, "package-lock.json"), "utf8")
  expect(lock).toContain(`/client/${TARBALL}`)

  await at("main")
  await appendFile(join(copy, "client/src/retry.ts"), "export const CHANGED = true\n")
  const newer = await npmStart(former, copy)
  try {
    await rm(join(project, "node_modules"), { recursive: true })
    await npm("ci")
    const code = `import { VERSION } from "${CLIENT_PACKAGE}"; console.log(VERSION)`
    const { stdout } = await runProgram("node", ["--input-type=module", "-e", code], { cwd: project })
    expect(stdout).toBe("0.1.0\n")
    expect((await fetch(`${newer.base_url}/client/turnpike-turns-client-0.2.0-dev.tgz`)).status).toBe(200)
  } finally {
    await newer.stop()
    await rm(former.dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
})

test("Once the packages are published, one command runs the whole service from an empty folder", async () => {
  const tarballs = [TARBALL, "turnpike-turns-dev-0.1.0.tgz"].map(artefact)
  const registry = await servePackages(join(dir, "registry"), { tarballs })
  const home = join(dir, "home")
  const project = join(dir, "empty")
  for (const folder of [home, project]) await mkdir(folder)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_cache: join(home, "npm"),
    npm_config_audit: "false",
  }
  const port = await servicePort()
  const dev = startProgram("npx", ["--yes", CLIENT_PACKAGE, "dev", "--port", String(port)], { cwd: project, env })
  try {
    await dev.says(/\] ready\.\n[\s\S]*Ctrl-C/)
    expect(dev.err).toContain(`Installing ${DEV_PACKAGE}@0.1.0`)
    expect((await fetch(`http://127.0.0.1:${port}/v1/health`)).status).toBe(200)
    expect(await readdir(project)).toEqual([".local"])
  } finally {
    await dev.interrupt()
    registry.stop()
  }
})
