import { expect, test } from "vitest"
import { read, source } from "./source.ts"

test("Only casts.ts casts through unknown: each cast has a name and a guarantee", () => {
  const casting = source.filter((path) => path.startsWith("src/") && /\bas unknown as\b/.test(read(path)))
  expect(casting).toEqual([])
})
