import { readdirSync } from "node:fs"
import { parseSync } from "oxc-parser"
import { expect, test } from "vitest"
import { filesBelow, read } from "./source.ts"

/** The things that a number counts in a sentence. */
const UNITS = [
  ..."% per\\scent ms milliseconds? s seconds? min minutes? h hours? days? weeks? months? years?".split(" "),
  ..."bytes? KB KiB MB MiB GB GiB characters? decimals? digits? points? USD energy times? values? pairs?".split(" "),
  ..."turns? steps? tokens? items? entries rows? files? keys? attempts? requests? events? webhooks? spaces? users?".split(
    " ",
  ),
  ..."people tools? pictures? images? codes? sessions? versions? servers? pages? faults? secrets? calls?".split(" "),
].join("|")
const NUMBER = new RegExp(`(?<![\\w./:#-])\\d[\\d,._]*[ -]?(?:\\w+ )?(?:${UNITS})(?![\\w/])`, "g")

/** Texts that callers do not read, or that are data. */
const OTHERS = /^src\/(local|ops)\/|common-passwords\.ts$|reference\/style\.ts$|\.d\.ts$/

/** Numbers that no policy defines, by file and text. */
const EXCEPTIONS: Record<string, string> = {
  "src/agent/engine.ts: 1h": "a word of the provider's",
  "src/base/key-ring.ts: 32 bytes": "AES-256",
  "src/reference/guides/compare.md: 0.08 USD": "a price of another service",
  "src/reference/guides/compare.md: 0.005 USD": "a price of another service",
  "src/environment/key-use.ts: 1 second": "an interval of SQL",
  "src/reference/guides.ts: 0.5 USD": "an example",
  "src/reference/guides.ts: 0.3 USD": "an example",
  "src/runs/prompt-cache.ts: 1h": "a word of the provider's",
  "src/settings/registry.ts: 1 USD": "the unit of an amount",
  "src/billing/ledger-entry.ts: 4217 code": "a standard",
  "src/base/money.ts: 1 USD": "the unit of an amount",
  "src/base/time-zone.ts: 2-digit": "a word of Intl's",
  "src/system/get-overview.ts: 30 days": "the fields' names contain it",
  "src/system/get-overview.ts: 168 hours": "the field's name contains it, in days",
  "src/system/get-overview.ts: 720 hours": "the field's name contains it, in days",
  "src/users/get-user.ts: 30 days": "the field's name contains it",
  "src/workspaces/workspaces.ts: 63 characters": "the expression next to it contains it",
}

/** The numbers in a text that count something, outside code. */
const numbersIn = (text: string) => [...text.replace(/`[^`\n]*`/g, "``").matchAll(NUMBER)].map(([number]) => number)

interface Node {
  type: string
  [field: string]: unknown
}

/** The text of an expression, with `{}` for inserted values; null if it is not a text. */
function textOf(node: Node): string | null {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null
  if (node.type === "TemplateLiteral") {
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}")
  }
  if (node.type !== "BinaryExpression" || node.operator !== "+") return null
  const sides = [node.left, node.right].map((side) => textOf(side as Node))
  return sides.every((side) => side === null) ? null : sides.map((side) => side ?? "{}").join("")
}

function textsIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return []
  if (Array.isArray(node)) return node.flatMap(textsIn)
  if (/^(Import|Export(All|Named)Declaration$)/.test((node as Node).type) && (node as Node).source) return []
  const text = textOf(node as Node)
  if (text !== null) return [text]
  return Object.values(node).flatMap(textsIn)
}

const found = [
  ...filesBelow("src")
    .filter((path) => !OTHERS.test(path))
    .flatMap((path) => {
      const { program } = parseSync(path, read(path))
      return textsIn(program).flatMap((text) => numbersIn(text).map((number) => `${path}: ${number}`))
    }),
  ...readdirSync("src/reference/guides").flatMap((name) => {
    const path = `src/reference/guides/${name}`
    return numbersIn(read(path).replace(/```[\s\S]*?```/g, "")).map((number) => `${path}: ${number}`)
  }),
]

test("No text that callers read contains a handwritten number: the code inserts it from its source", () => {
  expect(numbersIn("at most 5 minutes, 1,024 characters and 20 %, not `3 days` or 422 or a 2xx")).toHaveLength(3)
  const byHand = found.filter((one) => !(one in EXCEPTIONS))
  expect(byHand, "insert it (src/base/in-words.ts); in a guide by {{name}} of src/reference/guides.ts").toEqual([])
})

test("Every exception still exists", () => {
  expect(Object.keys(EXCEPTIONS).filter((one) => !found.includes(one))).toEqual([])
})
