import { globSync } from "node:fs"
import { parse } from "smol-toml"
import { expect, test } from "vitest"
import * as names from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"
import { AI_SDK_PATH, CLIENT_PATH, PYTHON_CLIENT_PATH } from "../../src/reference/served-packages.ts"
import { read } from "./source.ts"

const { AI_SDK_PACKAGE, CLIENT_PACKAGE, DEV_PACKAGE, PYTHON_MODULE, PYTHON_PACKAGE } = names
const OWN = [CLIENT_PACKAGE, AI_SDK_PACKAGE, DEV_PACKAGE, PYTHON_PACKAGE]

const written = globSync(
  [
    "{*,.ci/*}",
    "{ai-sdk,bench,client,client-python,dashboard,docs,examples,functions,scripts,src,test}/**/*.{md,ts,tsx,py,toml,json}",
  ],
  { exclude: (path) => /node_modules|package-lock\.json|dist\b/.test(String(path)) },
).filter((path) => /\.|run$/.test(path) && path !== "test/structure/package-names.test.ts")

const manifests = globSync([
  "package.json",
  "{ai-sdk,client,dashboard,generators,examples/*,test/reference/frameworks}/package.json",
])

/** The packages that a clone or an example installs, so that `npx` runs the installed one. */
const declared = new Set(
  manifests.flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path)) as Record<string, object>
    return Object.keys({ ...dependencies, ...devDependencies })
  }),
)

/** Packages of others at PyPI that examples use by their own names. */
const PYPI = ["cryptography", "fastapi", "httpx", "uvicorn"]

const RUN = /\b(?:npx|bunx|pnpm dlx|yarn dlx|npm exec(?: --)?)((?: -\S+)*) ([@\w$"'{][^\s`)"',;]*)/g
const INSTALL = /\b(?:npm (?:install|i|add)|pip3? install|pipx \w+|uvx|uv (?:add|pip install))((?: [^\s`|&;#]+)+)/g

/** Packages that a text runs or installs, and that are neither ours nor installed already. */
function foreignNames(text: string): string[] {
  const run = [...text.matchAll(RUN)].map(([, , name = ""]) => name)
  const installed = [...text.matchAll(INSTALL)].flatMap(([, list = ""]) =>
    list
      .trim()
      .split(" ")
      .filter((word) => /^[@a-z][\w@./-]*$/.test(word) && !/^(URL|DIR)$/.test(word)),
  )
  const nameOf = (spec: string) => spec.replace(/(?<=.)@.*$/, "")
  const isKnown = (name: string) =>
    OWN.includes(name) || declared.has(name) || PYPI.includes(name) || /^[${"']|^\{/.test(name)
  return [...run, ...installed].map(nameOf).filter((name) => !isKnown(name))
}

test("No text runs or installs a package under a name that is not ours and is not installed already", () => {
  const documents = written.filter((path) => /\.(md|json|toml)$|\.ci\/run$/.test(path))
  const found = documents.flatMap((path) => foreignNames(read(path)).map((name) => `${path}: ${name}`))
  expect(found).toEqual([])
  const inCode = written.filter((path) => /^(ai-sdk|client|dashboard|src|scripts|examples)\/.*\.(tsx?|py)$/.test(path))
  const run = inCode.flatMap((path) =>
    [...read(path).matchAll(RUN)].flatMap(([match]) => foreignNames(match).map((name) => `${path}: ${name}`)),
  )
  expect(run).toEqual([])
})

test("A planted name that is not ours is found", () => {
  const text =
    "`npx turnpike dev`, `npx -y turnpike-cli`, `npm install turnpike@1 express`, `pip install turnpike httpx`"
  expect(foreignNames(text)).toEqual(["turnpike", "turnpike-cli", "turnpike", "turnpike"])
  expect(foreignNames(`npx ${CLIENT_PACKAGE} dev && npx wrangler login && npm install $URL/a.tgz`)).toEqual([])
})

test("Names of earlier packages are in no file", () => {
  const former = /turnpike-client\b(?!-)|\bturnpike-dev\b|\bfrom turnpike import\b|^import turnpike$/m
  expect(written.filter((path) => path !== "CHANGELOG.md" && former.test(read(path)))).toEqual([])
})

test("Manifests have the names of the constants", () => {
  expect(JSON.parse(read("client/package.json"))).toMatchObject({ name: CLIENT_PACKAGE, version: VERSION })
  expect(JSON.parse(read("ai-sdk/package.json"))).toMatchObject({
    name: AI_SDK_PACKAGE,
    version: VERSION,
    dependencies: { [CLIENT_PACKAGE]: VERSION },
  })
  const { project, tool } = parse(read("client-python/pyproject.toml")) as {
    project: { name: string }
    tool: { hatch: { build: { targets: { wheel: { packages: string[] } } } } }
  }
  expect(project.name).toBe(PYTHON_PACKAGE)
  expect(tool.hatch.build.targets.wheel.packages).toEqual([`src/${PYTHON_MODULE}`])
})

test("Every import of the clients in Markdown, examples and samples has the name of a constant", () => {
  const texts = written.filter((path) => /^(examples|docs|ai-sdk|client|client-python|[A-Z]+\.md)/.test(path))
  for (const path of texts) {
    const text = read(path)
    for (const [, name] of text.matchAll(/\bimport \{[^}]*\b(?:Turnpike|verifyWebhook)\b[^}]*\} from "([^".]+)"/g))
      expect(name, path).toBe(CLIENT_PACKAGE)
    for (const [, name] of text.matchAll(/\bimport \{[^}]*\b(?:createTurnpike|turnpike)\b[^}]*\} from "([^".]+)"/g))
      expect(name, path).toBe(AI_SDK_PACKAGE)
    for (const [, name] of text.matchAll(/^from (\w+) import [^\n]*\b(?:Turnpike|verify_webhook)\b/gm))
      expect(name, path).toBe(PYTHON_MODULE)
  }
})

test("Every document names the packages that the service serves, with their version", () => {
  const documents = written.filter((path) => path.endsWith(".md"))
  const paths = documents.flatMap((path) => read(path).match(/\/client\/[\w.-]+\.(?:whl|tgz)/g) ?? [])
  expect(paths.length).toBeGreaterThan(5)
  expect([...new Set(paths)].sort()).toEqual([PYTHON_CLIENT_PATH, CLIENT_PATH, AI_SDK_PATH].sort())
})
