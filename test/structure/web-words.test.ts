import { expect, test } from "vitest"
import { documentOf } from "../../scripts/documents.ts"
import { filesBelow, read } from "./source.ts"

/** Every list of words in a document, as a text: sorted, so that the order of a page does not matter. */
function enumsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found
  const { enum: words } = value as { enum?: unknown }
  if (Array.isArray(words) && words.length > 1) found.add(sorted(words))
  for (const part of Object.values(value)) enumsIn(part, found)
  return found
}

const sorted = (words: unknown[]) =>
  words
    .filter((word) => typeof word === "string")
    .sort()
    .join(" ")

/** Words of a URL, which no enum can add to. */
const OWN = new Set(["false true"])

test("Every list in the web app that repeats an enum of the API has its type, so that a new value does not compile", () => {
  const enums = enumsIn(documentOf("dashboard"))
  expect(enums.size).toBeGreaterThan(30)
  const repeated = filesBelow("dashboard/src").flatMap((path) => {
    if (path.includes("/api/")) return []
    const lists = [...read(path).matchAll(/\[\s*((?:"[\w.-]+",?\s*){2,})\](?: as const)?/g)]
    return lists
      .filter(({ index }) => !read(path).slice(0, index).trimEnd().endsWith("()("))
      .map(([, words = ""]) => sorted([...words.matchAll(/"([\w.-]+)"/g)].map(([, word]) => word)))
      .filter((words) => enums.has(words) && !OWN.has(words))
      .map((words) => `${path}: ${words}`)
  })
  expect(repeated).toEqual([])
})
