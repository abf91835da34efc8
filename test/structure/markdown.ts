import { existsSync, globSync } from "node:fs"
import { dirname, join } from "node:path"
import { MEASUREMENTS } from "../../bench/options.ts"
import { read } from "./source.ts"

/** Every Markdown file of the repository that people write. */
export const documents = globSync(["*.md", "{docs,src,client,ai-sdk,test,examples,.github}/**/*.md"], {
  exclude: ["**/node_modules/**"],
}).sort()

const withoutFences = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "")
const spansOf = (text: string) => [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span)

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

const anchorsIn = (text: string) =>
  [...withoutFences(text).matchAll(/^#+ (.*)$/gm)].map(([, one = ""]) => anchorOf(one))

/** Relative links and anchors without a target. */
export function brokenLinks(path: string, text: string): string[] {
  const targets = [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    // test/v1/reference.test.ts follows links to operations.
    if (target.startsWith("/docs/operations/")) return false
    // A page of the other API's docs.
    if (target.startsWith("/docs/")) return !existsSync(`src/reference/guides/${target.slice("/docs/".length)}.md`)
    const [file = "", anchor] = target.split("#")
    const linked = file === "" ? path : join(dirname(path), file)
    if (file !== "" && !existsSync(linked)) return true
    return anchor !== undefined && !anchorsIn(file === "" ? text : read(linked)).includes(anchor)
  })
}

const FOLDERS = "src|functions|test|scripts|bench|dashboard|client|ai-sdk|docs|migrations|generators|\\.ci|\\.github"
const PATH = new RegExp(`^(?:(?:${FOLDERS})/[\\w.*/-]*|[\\w.*/-]+\\.(?:tsx?|sql|md|toml|mjs))$`)
/** Files of an example, and files that a command generates. */
const EXAMPLES = /^server\.mjs$|^0002_add_colour\.sql$|^report\.md$|^\*(\.\w+)*\.tsx?$|\/[A-Z]+$/

const files = globSync(["*", "{src,functions,test,scripts,bench,dashboard,client,ai-sdk,docs,migrations}/**/*"], {
  exclude: ["**/node_modules/**"],
})
const names = new Set(files.map((file) => file.split("/").at(-1)))

/** Paths in backquotes that do not exist. A bare name may be a file in any folder. */
export function missingPaths(text: string): string[] {
  return spansOf(text)
    .map((span) => span.replace(/:\d+$/, ""))
    .filter((span) => PATH.test(span) && !EXAMPLES.test(span))
    .filter((span) => {
      if (span.includes("*")) return globSync(span).length === 0
      return !existsSync(span) && (span.includes("/") || !names.has(span))
    })
}

const code = globSync(
  ["{src,dashboard/src,client/src,ai-sdk/src,functions,scripts,bench,test}/**/*.{ts,tsx,sql}", "schema.sql"],
  {
    exclude: ["**/node_modules/**", "test/structure/**"],
  },
)
const words = new Set(code.flatMap((path) => read(path).match(/[A-Za-z_$][\w$]*/g) ?? []))

/** Functions and procedures, written as `name()`, that the code does not have. */
export function missingSymbols(text: string): string[] {
  return spansOf(text).flatMap((span) => {
    const [, name] = /^(?:[\w$]+\.)*([A-Za-z_$][\w$]*)\(\)$/.exec(span) ?? []
    return name !== undefined && !words.has(name) ? [span] : []
  })
}

const scripts = [".", "client", "dashboard", "generators"].flatMap((folder) =>
  Object.keys(JSON.parse(read(join(folder, "package.json"))).scripts ?? {}),
)
const commandLine = read("src/ops/admin.ts")

/** Commands of npm, of the command line and of the benchmarks that do not exist. */
export function missingCommands(text: string): string[] {
  const run = [...text.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name)
  const admin = [...text.matchAll(/\bnpm run admin -- ([a-z][\w-]*)/g)].map(([, name = ""]) => name)
  const measured = [...text.matchAll(/\bnpm run bench --[^`\n]*--only ([a-z][a-z,-]*)/g)].flatMap(([, list = ""]) =>
    list.split(","),
  )
  return [
    ...run.filter((name) => !scripts.includes(name)).map((name) => `npm run ${name}`),
    ...admin.filter(
      (name) => !commandLine.includes(`"${name}"`) && !new RegExp(`^  +${name}\\b`, "m").test(commandLine),
    ),
    ...measured.filter((name) => !MEASUREMENTS.includes(name)).map((name) => `--only ${name}`),
  ]
}

/** Operations that a document names. */
export const operationsIn = (text: string) =>
  [...withoutFences(text).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/(?:api|v1)\/[\w/{}-]*)(?:\?[^`]*)?`/g)].map(
    ([, method = "", path = ""]) => `${method.toLowerCase()} ${path}`,
  )

/** The number of words on a page, without tables and examples. */
export const proseWords = (text: string) =>
  withoutFences(text)
    .split("\n")
    .filter((line) => !line.startsWith("|"))
    .join(" ")
    .split(/\s+/)
    .filter(Boolean).length

export const linesOf = (text: string) => text.trimEnd().split("\n").length
