import { expect, test } from "vitest"
import { read, source } from "./source.ts"

/** Files that may still cast through `unknown`. The list only shrinks. */
const LEFT = ["src/webhooks/schemas.ts"]

test("Only casts.ts casts through unknown: each cast has a name and a guarantee", () => {
  const casting = source.filter((path) => path.startsWith("src/") && /\bas unknown as\b/.test(read(path)))
  expect(casting).toEqual(LEFT)
})
