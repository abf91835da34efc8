import { globSync } from "node:fs"
import { parseSync } from "oxc-parser"
import { expect, test } from "vitest"
import { read } from "./source.ts"

interface Node {
  type: string
  [field: string]: unknown
}

interface Named {
  kind: "describe" | "test"
  name: string
}

/** Words that a reader has to translate: "after" for behind, "next to" for beside, "again" for anew, "no client" for nobody. */
const DIALECT =
  /\b(behind|beside|anew|nobody|somebody|whoever|thrice|meanwhile|of which|that which|what is|so many|so much)\b/i

/** The function at the root of a callee: `test` of `test.skipIf(slow).each(cases)`. */
function rootOf(callee: unknown): string | null {
  const node = callee as Node | null
  if (node?.type === "Identifier") return node.name as string
  return node ? rootOf(node.object ?? node.callee ?? node.tag) : null
}

/** A text as it is written, with `…` for each hole of a template; null for a variable. */
function textOf(node: Node | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value
  if (node?.type !== "TemplateLiteral") return null
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("…")
}

/** Every test and group of a file, by its syntax tree. */
function namesIn(text: string): Named[] {
  const found: Named[] = []
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return
    const node = value as Node
    if (node.type === "CallExpression") {
      const kind = rootOf(node.callee)
      const [first, second] = node.arguments as Node[]
      const name = second ? textOf(first) : null
      if ((kind === "describe" || kind === "test") && name !== null) found.push({ kind, name })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync("a.test.ts", text).program)
  return found
}

/** Why a name is no sentence in plain words; null when it is one. A table may supply its first word. */
function faultOf({ kind, name }: Named): string | null {
  const word = DIALECT.exec(name)?.[0]
  if (word) return `has the word "${word}"`
  if (!/^([A-Z]|%|\$)/.test(name)) return "does not begin like a sentence"
  if (kind === "test" && name.split(/\s+/).length < 3) return "has less than three words"
  return null
}

test("Every test's name begins like a sentence, has at least three words, and no dialect", () => {
  const named = globSync("test/**/*.ts").flatMap((path) => namesIn(read(path)).map((one) => ({ path, ...one })))
  expect(named.length).toBeGreaterThan(2_000)
  const faults = named.flatMap(({ path, ...one }) => {
    const fault = faultOf(one)
    return fault ? [`${path}: "${one.name}" ${fault}`] : []
  })
  expect(faults).toEqual([])
})

test("A planted name that is no sentence is found", () => {
  const text = `
    describe("bounds", () => test.each(CASES)("%s is refused", () => {}))
    describe("Bounds", () => test.skipIf(slow)("A limit holds behind a restart", () => {}))
    test(\`Rounds: \${ROUNDS}\`, () => {})
  `
  expect(namesIn(text).map((one) => [one.name, faultOf(one)])).toEqual([
    ["bounds", "does not begin like a sentence"],
    ["%s is refused", null],
    ["Bounds", null],
    ["A limit holds behind a restart", 'has the word "behind"'],
    ["Rounds: …", "has less than three words"],
  ])
})

test("Every helper that the harness's page names exists", () => {
  const code = globSync("test/harness/*.ts").map(read).join("\n")
  const spans = [...read("test/harness/README.md").matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)
  const helpers = spans.flatMap((span) => /^(?:world\.|client\.)?([a-zA-Z]{4,})(?:\(|$)/.exec(span)?.[1] ?? [])
  expect(helpers.length).toBeGreaterThan(80)
  expect(helpers.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  const files = spans.filter((span) => span.endsWith(".ts"))
  expect(files.filter((file) => !globSync("test/harness/*.ts").includes(`test/harness/${file}`))).toEqual([])
})
