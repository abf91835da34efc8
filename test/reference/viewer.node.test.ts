import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { documentOf } from "../../scripts/documents.ts"

interface Described {
  parameters?: { name: string; example?: string }[]
}

test("The viewer replaces the Idempotency-Key and the space of every example in the document", () => {
  const script = readFileSync("src/reference/viewer-values.js", "utf8")
  const document = documentOf("v1")
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods as Record<string, Described>),
  )
  const keys = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ name }) => name === "Idempotency-Key")
    .map(({ example }) => example)
  expect(new Set(keys).size).toBeGreaterThan(1)
  expect(keys.filter((key) => !script.includes(`"${key}"`))).toEqual([])
  const spaces = new Set(JSON.stringify(document).match(/spc_01\w{24}/g))
  expect([...spaces].filter((space) => !script.includes(`"${space}"`))).toEqual([])
})
