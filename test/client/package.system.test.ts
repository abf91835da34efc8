import { readFileSync } from "node:fs"
import { copyFile, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises"
import { delimiter, join, resolve } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { afterAll, beforeAll, expect, test } from "vitest"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"
import { installPackedClient, runProgram } from "../harness/packed-client.ts"

let client: Awaited<ReturnType<typeof installPackedClient>>
let project: string

beforeAll(async () => {
  client = await installPackedClient()
  project = client.project
})

afterAll(() => client.remove())

test("The tarball has the code and its types, and no other files", async () => {
  const modules = (await readdir("client/src")).filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3))
  const lib = modules.flatMap((name) => [`lib/${name}.d.ts`, `lib/${name}.js`])
  expect(client.tarball.files.map(({ path }) => path).sort()).toEqual(
    ["LICENSE", "README.md", "bin/LICENSES.md", "bin/turnpike.js", "package.json", ...lib].sort(),
  )
  console.log(
    `${CLIENT_PACKAGE}: ${client.tarball.files.length} files, ${Math.round(client.tarball.unpackedSize / 1024)} KiB unpacked`,
  )
  expect(client.tarball.unpackedSize).toBeLessThan(600 * 1024)
  const manifest = JSON.parse(await readFile(join(project, "node_modules", CLIENT_PACKAGE, "package.json"), "utf8"))
  expect(manifest).toMatchObject({ version: VERSION, type: "module" })
  for (const kind of ["dependencies", "peerDependencies", "scripts", "private"])
    expect(manifest).not.toHaveProperty(kind)
  for (const { path } of client.tarball.files.filter(({ path }) => !path.startsWith("bin/"))) {
    const text = await readFile(join(project, "node_modules", CLIENT_PACKAGE, path), "utf8")
    expect(text, path).not.toMatch(/(from |import\()"(?!(\.\/[\w-]+\.js|@turnpike-turns\/client)")|sourceMappingURL/)
    if (path.endsWith(".d.ts")) expect(text, path).not.toContain("@internal")
  }
})

test("Its declarations and entry points have no faults for any tool that reads the package", async () => {
  const { messages } = await publint({ pkgDir: join(project, "node_modules", CLIENT_PACKAGE), strict: true })
  expect(messages).toEqual([])
  const tarball = await readFile(join(project, "..", client.tarball.filename))
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
  // The package has ES modules only: require() of Node before 22, and TypeScript's oldest resolution, do not find it.
  const isOld = (kind: unknown) => kind === "node10" || kind === "node16-cjs"
  const problems = analysis.types
    ? analysis.problems.filter((one) => !("resolutionKind" in one && isOld(one.resolutionKind)))
    : null
  expect(problems).toEqual([])
})

test("The command line starts on every installed Node, and helps", async () => {
  for (const node of nodes()) {
    const program = join(project, "node_modules", CLIENT_PACKAGE, "bin/turnpike.js")
    const version = await runProgram(node, [program, "--version"], { cwd: project })
    expect(version.stdout).toBe(`${VERSION}\n`)
    expect((await runProgram(node, [program, "turns", "send", "--help"], { cwd: project })).stdout).toContain("--wait")
  }
  const npx = await runProgram("npx", ["--offline", CLIENT_PACKAGE, "--version"], { cwd: project })
  expect(npx.stdout).toBe(`${VERSION}\n`)
})

/** This Node, and every other Node on the PATH: the project's own, then the machine's. */
function nodes(): string[] {
  const found = (process.env.PATH ?? "").split(delimiter).map((place) => join(place, "node"))
  const own = resolve("node_modules/node/bin/node")
  const there = [process.execPath, own, ...found].filter((path) => {
    try {
      return readFileSync(path).length > 0
    } catch {
      return false
    }
  })
  return [...new Set(there)]
}

test("Every installed Node can import the package, which verifies, sends and refuses there", async () => {
  await writeFile(
    join(project, "check.js"),
    `import { Turnpike, TurnpikeError, ValidationError, VERSION, verifyWebhook } from "${CLIENT_PACKAGE}"
    const headers = { "webhook-id": "e", "webhook-timestamp": String(Math.floor(Date.now() / 1000)), "webhook-signature": "v1,AAAA" }
    const refused = await verifyWebhook("{}", headers, "whsec_AAAA").catch((error) => error)
    const fetch = async () => Response.json({ error: { code: "VALIDATION_FAILED", message: "no" } }, { status: 422 })
    const turnpike = new Turnpike({ apiKey: "x", baseUrl: "http://localhost", fetch })
    const error = await turnpike.me({ signal: new AbortController().signal }).catch((error) => error)
    const known = [error instanceof ValidationError, error instanceof TurnpikeError, error.name, refused.name]
    console.log(JSON.stringify([process.versions.node.split(".")[0], VERSION, ...known]))`,
  )
  const majors = new Set<string>()
  for (const node of nodes()) {
    const { stdout } = await runProgram(node, ["check.js"], { cwd: project })
    const [major, ...said] = JSON.parse(stdout) as [string, ...unknown[]]
    expect(said).toEqual([VERSION, true, true, "ValidationError", "WebhookVerificationError"])
    majors.add(major)
  }
  console.log(`${CLIENT_PACKAGE}: imported by Node ${[...majors].sort().join(", ")}`)
  expect(majors).toContain("24")
})

const types = (name: string) => resolve("node_modules", name)

test.each([
  ["bundler", "esnext", { lib: ["es2022", "dom", "dom.asynciterable"], types: [] }],
  ["nodenext", "nodenext", { lib: ["es2022"], types: [types("@types/node")] }],
  ["nodenext", "nodenext", { lib: ["es2024"], types: [types("@cloudflare/workers-types")] }],
])(
  "The types compile for a strict customer with moduleResolution %s (module %s, %j)",
  async (moduleResolution, module, more) => {
    const where = await mkdtemp(join(project, "types-"))
    await copyFile("test/client/consumer.ts", join(where, "consumer.ts"))
    const compilerOptions = {
      module,
      moduleResolution,
      ...more,
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      skipLibCheck: false,
    }
    await writeFile(join(where, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
    const { stdout } = await runProgram("tsc", ["--project", where]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe("")
  },
)
