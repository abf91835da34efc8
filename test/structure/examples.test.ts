import { globSync } from "node:fs"
import { dirname } from "node:path"
import { expect, test } from "vitest"
import { read } from "./source.ts"

const EXAMPLES = globSync("examples/*/README.md")
  .map((path) => dirname(path))
  .sort()
const linesOf = (path: string) => read(path).trimEnd().split("\n").length

test.each(EXAMPLES)(
  "Each program of %s has at most 120 lines, all have 180, and its README fits on one screen",
  (folder) => {
    const programs = globSync(`${folder}/**/*.{ts,tsx,py}`, { exclude: ["**/node_modules/**"] })
    expect(programs.length).toBeGreaterThan(0)
    for (const path of programs) expect(linesOf(path), path).toBeLessThanOrEqual(120)
    expect(programs.reduce((sum, path) => sum + linesOf(path), 0)).toBeLessThanOrEqual(180)
    expect(linesOf(`${folder}/README.md`)).toBeLessThanOrEqual(40)
  },
)
