import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AI_SDK_PACKAGE } from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"
import { packClient } from "../../scripts/pack-client.ts"
import { AI_SDK_PATH, CLIENT_PATH } from "../../src/reference/served-packages.ts"
import { servePackages } from "../harness/package-registry.ts"
import { runProgram } from "../harness/packed-client.ts"

let dir: string
let project: string
const installed = (path: string) => join(project, "node_modules", AI_SDK_PACKAGE, path)

/** A customer's project with both packages from their tarballs. No registry has the client, as before a release. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "turnpike-ai-sdk-"))
  project = join(dir, "customer")
  await mkdir(project)
  await packClient(dir)
  const registry = await servePackages(join(dir, "registry"))
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const options = ["--no-audit", "--no-fund", "--cache", join(dir, "cache"), "--registry", registry.url]
  const tarballs = [CLIENT_PATH, AI_SDK_PATH].map((path) => join(dir, path))
  await runProgram("npm", ["install", ...options, ...tarballs, "ai", "zod"], { cwd: project })
  registry.stop()
})

afterAll(() => rm(dir, { recursive: true, force: true }))

test("The tarball has the code and its types, and no other files", async () => {
  const modules = (await readdir("ai-sdk/src")).map((name) => name.slice(0, -3))
  const lib = modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`])
  expect((await readdir(installed("lib"))).sort()).toEqual(lib.sort())
  expect((await readdir(installed(""))).sort()).toEqual(["LICENSE", "README.md", "lib", "package.json"])
  const manifest = JSON.parse(await readFile(installed("package.json"), "utf8"))
  expect(manifest).toMatchObject({ version: VERSION, type: "module", dependencies: expect.any(Object) })
  for (const kind of ["peerDependencies", "scripts", "private"]) expect(manifest).not.toHaveProperty(kind)
  for (const name of lib) {
    const imports = /(from |import\()"(?!(\.\/[\w-]+\.js|@ai-sdk\/provider|@turnpike-turns\/[\w-]+)")|sourceMappingURL/
    if (name.endsWith(".js")) expect(await readFile(installed(`lib/${name}`), "utf8"), name).not.toMatch(imports)
  }
})

test("Its declarations and entry points have no faults for any tool that reads the package", async () => {
  const { messages } = await publint({ pkgDir: installed(""), strict: true })
  expect(messages).toEqual([])
  const tarball = await readFile(join(dir, AI_SDK_PATH))
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
  // The package has ES modules only, as the AI SDK has.
  const isOld = (kind: unknown) => kind === "node10" || kind === "node16-cjs"
  const problems = analysis.types
    ? analysis.problems.filter((one) => !("resolutionKind" in one && isOld(one.resolutionKind)))
    : null
  expect(problems).toEqual([])
})

const PROGRAM = `import { createTurnpike, type TurnpikeCallOptions, turnpike } from "${AI_SDK_PACKAGE}"
import { APICallError, generateText } from "ai"

const options = { maxCostUsd: 0.5, idempotencyKey: "message-1" } satisfies TurnpikeCallOptions
const fetch = async () => Response.json({ error: { code: "NOT_FOUND", message: "no such space" } }, { status: 404 })
const mine = createTurnpike({ apiKey: "x", baseURL: "http://localhost", fetch })
const call = generateText({
  model: mine("spc_1", { endUser: "customer-42" }),
  prompt: "Hello",
  providerOptions: { turnpike: options },
})
const error: unknown = await call.catch((thrown: unknown) => thrown)
console.log(APICallError.isInstance(error) && error.statusCode, turnpike("spc_2").modelId)
`

test.each([
  ["bundler", "esnext"],
  ["nodenext", "nodenext"],
])("A strict customer's program compiles with moduleResolution %s, and runs", async (moduleResolution, module) => {
  const where = await mkdtemp(join(project, "program-"))
  await writeFile(join(where, "program.ts"), PROGRAM)
  const compilerOptions = {
    module,
    moduleResolution,
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    target: "es2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    // The AI SDK's own declarations need more than it installs.
    skipLibCheck: true,
  }
  await writeFile(join(where, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }))
  const { stdout } = await runProgram("tsc", ["--project", where]).catch((error: { stdout: string }) => error)
  expect(stdout).toBe("")
  expect((await runProgram("node", ["program.js"], { cwd: where })).stdout).toBe("404 spc_2\n")
})
