import { expect, test } from "vitest"
import { documentOf } from "../../scripts/documents.ts"
import { filesBelow, read } from "./source.ts"

/** Every list of words in a document as a text, sorted, so that the order on a page does not matter. */
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

/** Words of a URL, to which no enum can add. */
const OWN = new Set(["false true"])

/** The files of the web app that people write. */
const written = filesBelow("dashboard/src").filter((path) => !path.includes("/api/"))

test("No list of words in the web app repeats an enum of the API: such lists are generated", () => {
  const enums = enumsIn(documentOf("dashboard"))
  expect(enums.size).toBeGreaterThan(30)
  const repeated = written.flatMap((path) =>
    [...read(path).matchAll(/\[\s*((?:"[\w.-]+",?\s*){2,})\](?: as const)?/g)]
      .map(([, words = ""]) => sorted([...words.matchAll(/"([\w.-]+)"/g)].map(([, word]) => word)))
      .filter((words) => enums.has(words) && !OWN.has(words))
      .map((words) => `${path}: ${words}`),
  )
  expect(repeated).toEqual([])
})

test("No page of the web app contains a bound or a default of the API as a number: the generated rules supply it", () => {
  const stated = /\b\d[\d,]* (?:to \d[\d,]* )?(?:characters|pairs)\b|\b(?:Default|[Aa]t least) \d/
  expect(stated.test("At least 8 characters.") && stated.test("Of one call. Default 30.")).toBe(true)
  const offenders = written.flatMap((path) => {
    const [found] = stated.exec(read(path)) ?? []
    return found ? [`${path}: ${found}`] : []
  })
  expect(offenders).toEqual([])
})
