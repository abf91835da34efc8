import { expect, test } from "vitest"
import * as z from "zod"
import { SURFACES } from "../../scripts/documents.ts"

/** Every field of a request whose name ends with _usd, and the prices of models, with its forms in the document. */
function amounts(schema: unknown, path: string[], found: [string, Set<string>][]): void {
  if (typeof schema !== "object" || schema === null) return
  for (const [name, part] of Object.entries(schema)) {
    if (name === "properties") {
      for (const [field, of] of Object.entries(part as object)) {
        if (/_usd$/.test(field) && !JSON.stringify(of).includes('"$ref"')) {
          found.push([
            [...path, field].join("."),
            new Set(JSON.stringify(of).match(/"type":"(number|string|null)"/g) ?? []),
          ])
        }
      }
    }
    amounts(part, [...path, name], found)
  }
}

test.each(Object.entries(SURFACES))("Every amount of a request of %s may be a number or a string", (_name, { app }) => {
  const found: [string, Set<string>][] = []
  for (const { body, id } of app.operations) {
    if (body) amounts(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }), [id], found)
  }
  for (const [path, types] of found)
    expect([...types].sort(), path).toEqual(expect.arrayContaining(['"type":"number"', '"type":"string"']))
})
