import { createHash } from "node:crypto"
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Rolldown } from "vite"
import { readFolder, writeFolder } from "../scripts/folder-files.ts"
import { packServed } from "../scripts/pack-served.ts"
import { WEB_APP } from "../src/local/build-worker.ts"
import { digestOfSources, isBuilt, noteBuilt } from "../src/local/built.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { MAIN_PARTS, PARTS, POPUP_PARTS } from "./vite.config.ts"

/**
 * `npm run build:dashboard [-- --if-stale]`: builds dist/dashboard, with the client's package.
 * Fails if a bundle exceeds its budget.
 * With --if-stale, it does nothing if the last build had the same sources.
 */
const HERE = import.meta.dirname
const TARGET = join(HERE, "../dist/dashboard")
const ROOT = join(HERE, "..")
const SOURCES = ["src", "public", "index.html", "package.json", "vite.config.ts", "build.ts", "../client"]
/** Part of the digest: other package versions build other files from the same sources. */
const LOCK_FILE = join(HERE, "../package-lock.json")

/**
 * In KiB, gzipped. A page or a chart counts the chunks that it loads besides the shared ones, which have budgets of
 * their own. The PDF is the library that only a click on "Save as PDF" loads.
 */
const BUDGETS = { entry: 140, interface: 53, parts: 16, popups: 30, page: 20, chart: 120, pdf: 340 }
/** The shared chunks. Each counts what it loads besides the ones before it. */
const SHARED: [kind: keyof typeof BUDGETS, isIt: (chunk: Rolldown.OutputChunk) => boolean][] = [
  ["entry", ({ isEntry }) => isEntry],
  ["interface", ({ name }) => name === PARTS],
  ["parts", ({ name }) => name === MAIN_PARTS],
  ["popups", ({ name }) => name === POPUP_PARTS],
]
const KINDS = new Map<string, keyof typeof BUDGETS>([
  ["chart-canvas", "chart"],
  ["pdfmake.min", "pdf"],
])

const digest = await digestOfSources(ROOT, WEB_APP)
if (!process.argv.includes("--if-stale") || !(await isBuilt(ROOT, WEB_APP, digest))) {
  const started = Date.now()
  // Even if a test runs this script: the build must be the one that is deployed.
  process.env.NODE_ENV = "production"
  const assetsDir = `assets/${await digestOfApp()}`
  const draft = await makeTemporaryDirectory("dashboard")
  const built = await build({
    configFile: join(HERE, "vite.config.ts"),
    logLevel: "warn",
    build: { assetsDir, outDir: draft },
  })
  const { output } = built as Rolldown.RolldownOutput
  const chunks = output.filter((part) => part.type === "chunk")
  await loadEarly(draft, chunks.find(({ name }) => name === PARTS)?.fileName)
  await keepForGood(draft, assetsDir)
  await servePages(draft)
  await packServed(draft)
  await writeFolder(TARGET, await readFolder(draft))
  await rm(draft, { recursive: true, force: true })
  await noteBuilt(ROOT, WEB_APP, digest)
  const sizes = sizesOf(chunks)
  const wrong = sizes.filter(({ kind, kib }) => kib > BUDGETS[kind])
  const [largest] = sizes.filter(({ kind }) => kind === "page").sort((a, b) => b.kib - a.kib)
  const sizeOf = (wanted: string) => sizes.find(({ kind }) => kind === wanted)?.kib.toFixed(1) ?? "0"
  console.log(
    `dist/dashboard in ${((Date.now() - started) / 1000).toFixed(1)} s: entry ${sizeOf("entry")} KiB, interface ${sizeOf("interface")} KiB, ` +
      `parts of main pages ${sizeOf("parts")} KiB, menus ${sizeOf("popups")} KiB, charts ${sizeOf("chart")} KiB, largest page ${largest?.name} ${largest?.kib.toFixed(1)} KiB (gzipped)`,
  )
  for (const { kind, name, kib } of wrong)
    console.error(`${name} has ${kib.toFixed(1)} KiB. Shrink it to the budget of ${BUDGETS[kind]} KiB for a ${kind}.`)
  if (wrong.length > 0) process.exitCode = 1
}

function sizesOf(chunks: Rolldown.OutputChunk[]) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const weigh = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(byName.get(name)?.code ?? "").length / 1024, 0)
  const reached = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const next of byName.get(name)?.imports ?? []) reached(next, seen)
    return seen
  }
  const counted = new Set<string>()
  const sizeOf = (chunk: Rolldown.OutputChunk, kind: keyof typeof BUDGETS) => ({
    kind,
    name: chunk.name,
    kib: weigh([...reached(chunk.fileName)].filter((name) => !counted.has(name))),
  })
  const shared = SHARED.map(([kind, isIt]) => {
    const chunk = chunks.find(isIt)
    if (!chunk) throw new Error(`There is no chunk for the budget "${kind}".`)
    const size = sizeOf(chunk, kind)
    for (const name of reached(chunk.fileName)) counted.add(name)
    return size
  })
  const others = chunks.filter((chunk) => chunk.isDynamicEntry)
  return [...shared, ...others.map((chunk) => sizeOf(chunk, KINDS.get(chunk.name) ?? "page"))]
}

/** Every file and folder that the build depends on, sorted by name. */
async function sourcePaths(): Promise<string[]> {
  const paths = SOURCES.map(async (source) => {
    const path = join(HERE, source)
    const below = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : []
    return [path, ...below.map((name) => join(path, name)).sort()].filter((name) => !name.includes("node_modules"))
  })
  return (await Promise.all(paths)).flat()
}

async function digestOfApp(): Promise<string> {
  const digest = createHash("sha256")
  for (const path of [...(await sourcePaths()), LOCK_FILE]) {
    if ((await stat(path)).isFile()) digest.update(`${path.slice(HERE.length)}\n`).update(await readFile(path))
  }
  return digest.digest("hex").slice(0, 12)
}

/** Loads the parts of the interface together with the start. Otherwise a browser asks for them only afterwards. */
async function loadEarly(folder: string, fileName: string | undefined): Promise<void> {
  if (!fileName) throw new Error(`There is no chunk "${PARTS}", which each page loads.`)
  const path = join(folder, "index.html")
  const link = `<link rel="modulepreload" crossorigin href="/${fileName}">`
  await writeFile(path, (await readFile(path, "utf8")).replace("</head>", `  ${link}\n  </head>`))
}

/** Lets browsers cache the files of this build for a year: their folder changes with the sources. */
async function keepForGood(folder: string, assetsDir: string): Promise<void> {
  const path = join(folder, "_headers")
  const rule = `/${assetsDir}/*\n  Cache-Control: public, max-age=31536000, immutable\n`
  await writeFile(path, `${(await readFile(path, "utf8")).trimEnd()}\n${rule}`)
}

/**
 * Serves the app at the path of each page (Cloudflare's `_redirects`; status 200 keeps the address). Other
 * paths stay 404: a program that requests `/healthz` or `/robots.txt` must not get a page with status 200.
 */
async function servePages(folder: string): Promise<void> {
  const sources = (await sourcePaths()).filter(
    (path) => /\.tsx?$/.test(path) && path.startsWith(join(HERE, "src")) && !path.startsWith(join(HERE, "src/api")),
  )
  const texts = await Promise.all(sources.map((path) => readFile(path, "utf8")))
  const pages = texts.flatMap((text) => [...text.matchAll(/\bpath: "(\/[^"]*)"/g)].map(([, path]) => path as string))
  const ofDocs = pages.find((path) => path.startsWith("/docs"))
  if (ofDocs) throw new Error(`The page ${ofDocs} of the web app would hide the guide of this path.`)
  const rules = [...new Set(pages)].filter((path) => path !== "/").map((path) => `${path.replaceAll("$", ":")} / 200`)
  // The order does not matter: rules without a placeholder are matched first.
  await writeFile(join(folder, "_redirects"), `${rules.sort().join("\n")}\n`)
}
