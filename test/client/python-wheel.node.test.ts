import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { CLIENT_PATH, PYTHON_CLIENT_PATH } from "../../scripts/client-path.ts"
import { readGuide } from "../../src/reference/guides.ts"

test("Every document names the packages that the service serves, with their version", async () => {
  const paths = globSync(["*.md", "docs/**/*.md", "client/*.md", "client-python/*.md", "examples/*/*.md"])
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")))
  const named = [...texts, readGuide("start", []).description].flatMap(
    (text) => text.match(/\/client\/turnpike-[\w.-]+\.(?:whl|tgz)/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(5)
  expect([...new Set(named)].sort()).toEqual([PYTHON_CLIENT_PATH, CLIENT_PATH].sort())
})
