import { globSync } from "node:fs"
import { parse } from "smol-toml"
import { describe, expect, test } from "vitest"
import { SURFACES } from "../../scripts/documents.ts"
import { SETTINGS } from "../../src/settings/registry.ts"
import { SWEEPS } from "../../src/sweeps.ts"
import {
  brokenLinks,
  documents,
  linesOf,
  missingCommands,
  missingPaths,
  missingSymbols,
  operationsIn,
  proseWords,
} from "./markdown.ts"
import { read } from "./source.ts"

const operations = Object.values(SURFACES).flatMap(({ app }) =>
  app.operations.map(({ method, path }) => `${method} ${path}`),
)
const unknownOperations = (text: string) => operationsIn(text).filter((one) => !operations.includes(one))

describe.each(documents)("The document %s", (path) => {
  const text = read(path)

  test("Every relative link leads to a file and a heading", () => {
    expect(brokenLinks(path, text)).toEqual([])
  })

  test("Every path in backquotes exists", () => {
    expect(missingPaths(text)).toEqual([])
  })

  test("Every command exists", () => {
    expect(missingCommands(text)).toEqual([])
  })

  test("Every function that is written with its parentheses exists", () => {
    expect(missingSymbols(text)).toEqual([])
  })

  test("Every operation exists", () => {
    expect(unknownOperations(text)).toEqual([])
  })
})

test("A planted fault of each kind is found", () => {
  const text = `# A page

[gone](gone.md) [no heading](README.md#nowhere) [here](#a-page) [there](docs/style.md#glossary)
\`src/gone.ts\` \`schema.sql\` \`goneToo.ts\` \`test/*.gone.ts\` \`neverWritten()\` \`ctx.acceptTurn()\`
\`npm run gone\`, \`npm run admin -- gone\`, \`npm run bench -- --only gone,turns\`, \`GET /v1/gone\`, \`GET /v1/me\`
`
  expect(brokenLinks("page.md", text)).toEqual(["gone.md", "README.md#nowhere"])
  expect(missingPaths(text)).toEqual(["src/gone.ts", "goneToo.ts", "test/*.gone.ts"])
  expect(missingSymbols(text)).toEqual(["neverWritten()"])
  expect(missingCommands(text)).toEqual(["npm run gone", "gone", "--only gone"])
  expect(unknownOperations(text)).toEqual(["get /v1/gone"])
})

test("Comments and configuration name only documents that exist", () => {
  const sources = globSync(
    ["{src,functions,scripts,test,bench,client/src,dashboard/src}/**/*.{ts,tsx,sql}", "*.{toml,sql,ts}"],
    { exclude: ["**/node_modules/**"] },
  )
  const faults = sources.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
      .map(([cited]) => cited)
      .filter((cited) => !documents.includes(cited))
      .map((cited) => `${path}: ${cited}`),
  )
  expect(sources.length).toBeGreaterThan(1_000)
  expect(faults).toEqual([])
  const dead =
    /\b(?:design|contract)(?:'s)? sections? \d|\b(?:design|admin|providers|analytics|protocols)\.md, section/i
  const inText = sources.filter((path) => !path.endsWith("documents.test.ts") && dead.test(read(path)))
  expect(inText, "a section of a document that does not exist").toEqual([])
})

test("Pages stay within their maximum length", () => {
  const most = { "README.md": 150, "CONTRIBUTING.md": 130, "ARCHITECTURE.md": 60 }
  for (const [path, lines] of Object.entries(most)) expect(linesOf(read(path)), path).toBeLessThanOrEqual(lines)
  for (const path of globSync("docs/architecture/*.md")) expect(proseWords(read(path)), path).toBeLessThanOrEqual(900)
  for (const path of globSync("docs/decisions/0*.md")) {
    expect(linesOf(read(path)), path).toBeGreaterThanOrEqual(10)
    expect(linesOf(read(path)), path).toBeLessThanOrEqual(40)
  }
})

test("Every page of architecture and every decision is in its index", () => {
  const isLinked = (index: string, path: string) => read(index).includes(`](${path})`)
  for (const path of globSync("docs/architecture/*.md")) expect(isLinked("ARCHITECTURE.md", path), path).toBe(true)
  const decisions = globSync("docs/decisions/0*.md").map((path) => path.slice("docs/decisions/".length))
  for (const path of decisions) expect(isLinked("docs/decisions/README.md", path), path).toBe(true)
  expect(decisions.map((path) => Number(path.slice(0, 4))).sort((a, b) => a - b)).toEqual(
    decisions.map((_, index) => index + 1),
  )
})

/** Rows of tables below a heading: the names in the first column, and the cells after it. */
function rowsBelow(heading: string, text: string): Map<string, string[]> {
  const [, rest = ""] = text.split(`\n## ${heading}\n`)
  const [section = ""] = rest.split("\n## ")
  const rows = [...section.matchAll(/^\| (`[^|]+) \|(.*)\|$/gm)]
  return new Map(
    rows.flatMap(([, first = "", cells = ""]) =>
      [...first.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, cells.split("|").map((cell) => cell.trim())]),
    ),
  )
}

describe("The page of configuration", () => {
  const page = read("docs/configuration.md")
  const env = read("src/base/env.ts")

  test("The variables and bindings match the code", () => {
    const variables = [...env.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = ""]) => name)
    const bindings = [...JSON.stringify(parse(read("wrangler.toml"))).matchAll(/"binding":"(\w+)"/g)].map(
      ([, name]) => name,
    )
    const said = [...rowsBelow("Variables of the workers", page).keys(), ...rowsBelow("Bindings", page).keys()]
    expect(said.sort()).toEqual([...new Set([...variables, ...bindings])].sort())
  })

  test("The defaults of variables match the code", () => {
    const rows = rowsBelow("Variables of the workers", page)
    const defaults = [...env.matchAll(/^ {2}([A-Z][A-Z0-9_]+): [^\n]*\.default\((?:"([^"]+)"|(\d+))\)/gm)]
    expect(defaults.length).toBeGreaterThan(6)
    for (const [, name = "", text, number] of defaults) {
      expect(
        rows.get(name)?.map((cell) => cell.replaceAll("`", "")),
        name,
      ).toContain(text ?? number)
    }
  })

  test("The settings and their numbers match the code", () => {
    const rows = rowsBelow("Settings", page)
    expect([...rows.keys()].sort()).toEqual(Object.keys(SETTINGS).sort())
    for (const [name, { default: usual }] of Object.entries(SETTINGS)) {
      const said = (rows.get(name)?.[0] ?? "").replaceAll(",", "")
      if (typeof usual === "number" && /^[\d.]+$/.test(said)) expect(Number(said), name).toBe(usual)
    }
  })
})

test("The page of sweeps has each sweep once", () => {
  expect([...rowsBelow("The sweeps", read("docs/architecture/sweeps.md")).keys()].sort()).toEqual(
    Object.keys(SWEEPS).sort(),
  )
})

test("The page of the contract names all 82 of its operations", () => {
  expect(new Set(operationsIn(read("docs/contract.md"))).size).toBe(82)
})
