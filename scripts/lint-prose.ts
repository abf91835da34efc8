import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { proseProblems } from "./prose/check.ts"

/**
 * Checks documents, comments and texts that people read: `node scripts/lint-prose.ts [path…]` lists what to change.
 * `--count` prints how many problems a folder has, by rule.
 */

/** Files whose words belong to others, and the rules themselves, whose examples are what they forbid. */
const LEFT_OUT = /^(?:migrations|dist|scripts\/prose)\/|^docs\/style\.md$|common-passwords|test-names\.test\.ts$/
const isGenerated = (path: string) => /generated (?:by|from)/i.test(readFileSync(path, "utf8").slice(0, 200))

const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith("--"))
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...named])
const paths = listed
  .toString()
  .split("\n")
  .filter((path) => /\.(?:tsx?|sql|md)$/.test(path) && !LEFT_OUT.test(path) && !isGenerated(path))

const problems = (await Promise.all(paths.map((path) => proseProblems(path)))).flat()

if (args.includes("--count")) {
  const rows = new Map<string, Record<string, number>>()
  for (const { path, rule } of problems) {
    const folder = /^(?:dashboard\/src\/|src\/|test\/|docs\/)?[^/]+/.exec(path)?.[0] ?? path
    const { [rule]: count = 0, all = 0, ...rest } = rows.get(folder) ?? {}
    rows.set(folder, { ...rest, [rule]: count + 1, all: all + 1 })
  }
  console.table(Object.fromEntries(rows))
} else for (const { path, line, rule, message } of problems) console.log(`${path}:${line}  ${message}  (${rule})`)

console.log(`${problems.length} problems in the prose of ${paths.length} files.`)
process.exitCode = problems.length === 0 ? 0 : 1
