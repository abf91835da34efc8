import { expect, test } from "vitest"
import { procedures, read, withoutComments } from "./source.ts"

test("No statement depends on the locale of the database for the case of letters", () => {
  for (const { path, text } of [{ path: "schema.sql", text: read("schema.sql") }, ...procedures]) {
    const calls = [...withoutComments(text).matchAll(/\b(lower|upper|initcap)\((.*\n?.*)|\bilike\b/gi)].map(
      ([call]) => call,
    )
    for (const call of calls) expect(call, path).toMatch(/collate ("C"|letters)/)
  }
})
