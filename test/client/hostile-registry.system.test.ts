import { existsSync, globSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Turnpike } from "../../client/src/index.ts"
import { readGuide } from "../../src/reference/guides.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { plantHostilePackages, servePythonIndex } from "../harness/hostile-packages.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { servePackages } from "../harness/package-registry.ts"
import { runProgram } from "../harness/packed-client.ts"
import { findPython } from "../harness/python.ts"
import { blocksOf, commandsOf, withValues } from "../harness/readme-commands.ts"

/** Packages of others that documents install by their own names. */
const KNOWN = ["cryptography", "fastapi", "httpx", "uvicorn"]
/** A command that does not end by itself is ended after this time. Nothing waits for what it says. */
const SECONDS = 20

const documents = [
  ...globSync(["README.md", "docs/recipes.md", "{ai-sdk,client,client-python,examples/*}/README.md"]),
  "src/local/PACKAGE.md",
  ...globSync("src/reference/guides/*.md"),
].sort()
/** The packages that examples declare, with their versions. Those missing here are served without content. */
const declared = new Map(
  globSync("examples/*/package.json").flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, "utf8"))
    return Object.entries<string>({ ...dependencies, ...devDependencies })
  }),
)
/** The packages of the lock file. Other machines need some that are missing here. */
const locked = new Set(
  Object.keys(JSON.parse(readFileSync("package-lock.json", "utf8")).packages).map((path) =>
    path.split("node_modules/").at(-1),
  ),
)
/** Commands that can run a package. Others, such as curl and psql, cannot. */
const RUNS_PACKAGES = /\b(?:npx|npm|node|pip|python3?|uvicorn|wrangler)\b/

const python = await findPython("venv")
let dir: string
let service: Started
let hostile: Awaited<ReturnType<typeof plantHostilePackages>>
let npm: Awaited<ReturnType<typeof servePackages>>
let pip: Awaited<ReturnType<typeof servePythonIndex>>
let env: NodeJS.ProcessEnv
let values: Record<string, string>

/** The tarball of a package that is not installed here. */
async function otherwise(name: string): Promise<string | undefined> {
  if (declared.has(name)) return hostile.harmlessTarball(name, declared.get(name) as string)
  return locked.has(name) ? undefined : hostile.npmTarball(name)
}

/** True for a package that this checkout has in another version than an example declares. */
const isOther = ([name, version]: [string, string]) => {
  const manifest = join("node_modules", name, "package.json")
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version !== version
}

beforeAll(async () => {
  dir = await makeDataDirectory("hostile")
  hostile = await plantHostilePackages(join(dir, "hostile"))
  const tarballs = await Promise.all(
    [...declared].filter(isOther).map(([name, version]) => hostile.harmlessTarball(name, version)),
  )
  ;[service, npm, pip] = await Promise.all([
    npmStart(),
    servePackages(join(dir, "registry"), { tarballs, otherwise, onDownload: hostile.noteDownload }),
    servePythonIndex(KNOWN, hostile),
  ])
  if (python) await runProgram(python, ["-m", "venv", join(dir, "python")])
  await mkdir(join(dir, "home"))
  env = {
    PATH: `${join(dir, "python/bin")}:${process.env.PATH?.replace(/[^:]*node_modules[^:]*:/g, "")}`,
    HOME: join(dir, "home"),
    TURNPIKE_CONFIG: join(dir, "home/config.json"),
    WRANGLER_SEND_METRICS: "false",
    npm_config_registry: npm.url,
    npm_config_cache: join(dir, "cache"),
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
    npm_config_yes: "true",
    PIP_INDEX_URL: pip.url,
    PIP_CACHE_DIR: join(dir, "pip"),
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
  }
  const turnpike = new Turnpike({ apiKey: service.test_key, baseUrl: service.base_url })
  const { space_id } = await turnpike.spaces.create({ title: "Hostile registry" })
  values = {
    TURNPIKE_BASE_URL: service.base_url,
    TURNPIKE_API_KEY: service.test_key,
    TURNPIKE_SPACE: space_id,
    TURNPIKE_WEBHOOK_SECRET: "whsec_c2VjcmV0",
  }
})

afterAll(async () => {
  npm?.stop()
  pip?.stop()
  await service?.stop()
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

/** The text of a document. A guide is filled in, as the service serves it. */
const textOf = async (path: string) => {
  const [, guide] = /guides\/(.*)\.md$/.exec(path) ?? []
  return guide ? readGuide(guide, []).description : readFile(path, "utf8")
}

/** Runs the commands of a text that can run packages, one after another in one shell and an empty folder. */
async function runCommands(text: string, example?: string) {
  const folder = await mkdtemp(join(dir, "empty-"))
  if (example) await cp(example, folder, { recursive: true })
  const commands = blocksOf(withValues(text, values)).flatMap(commandsOf)
  const isOwn = (one: string) =>
    one.startsWith("export ") && Object.keys(values).some((name) => one.includes(`${name}=`))
  const run = commands.filter((one) => !isOwn(one) && (RUNS_PACKAGES.test(one) || one.startsWith("export ")))
  const lines = run.map((one) => {
    if (one.startsWith("export ")) return one
    const limit = / install /.test(one) ? "" : `timeout -k 5 ${SECONDS} `
    return `${limit}bash -c '${one.replaceAll("'", "'\\''")}' || true`
  })
  const own = Object.entries(values).map(([name, value]) => `export ${name}=${value}`)
  await writeFile(join(dir, `${folder.split("/").at(-1)}.sh`), [...own, ...lines].join("\n"))
  const script = join(dir, `${folder.split("/").at(-1)}.sh`)
  const { stdout, stderr } = await runProgram("bash", [script], { cwd: folder, env, maxBuffer: 2 ** 26 })
  return { run, folder, output: stdout + stderr }
}

describe.skipIf(!python)("With a registry that has hostile packages under every name that is not ours", () => {
  test("The registry's hostile packages run if a command names them", async () => {
    await runCommands("```sh\nnpx turnpike dev\npip install turnpike\n```")
    expect(await hostile.taken()).toEqual({
      downloaded: ["npm turnpike", "pip turnpike"],
      ran: ["npm turnpike", "pip turnpike"],
    })
  })

  test.each(documents)("The commands of %s run none of them", async (path) => {
    const example = path.startsWith("examples/") ? dirname(path) : undefined
    const { run, folder, output } = await runCommands(await textOf(path), example)
    expect(await hostile.taken(), output).toEqual({ downloaded: [], ran: [] })
    const installs = run.some((one) => one.includes("/client/turnpike-turns-client-"))
    expect(existsSync(join(folder, "node_modules/@turnpike-turns/client")), output).toBe(installs)
  })
})
