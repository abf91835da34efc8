import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { headersFile, referencePage } from "../src/reference/page.ts"
import { readViewer } from "../src/reference/viewer.ts"
import { documentOf, SURFACES, type SurfaceName, WORKERS } from "./documents.ts"

/**
 * `npm run build:docs` writes the static assets of each worker to dist/docs/WORKER: the OpenAPI documents and reference
 * pages that it serves. Wrangler runs it before every start and deploy, and tests run it before they start.
 */
const TARGET = "dist/docs"
const DASHBOARD = "dist/dashboard"
const viewer = readViewer()

/**
 * The worker that serves the page of each API. A page has all operations of the API, also if other workers serve them.
 */
const PAGES: Record<string, SurfaceName[]> = { all: ["v1", "dashboard"], v1: ["v1"], auth: ["dashboard"] }

for (const worker of Object.keys(WORKERS)) {
  const pages = (PAGES[worker] ?? []).map((surface) => {
    const { api } = SURFACES[surface]
    return { surface, api, pagePath: api.pagePath, scriptPath: `${api.pagePath}/${viewer.name}` }
  })
  // The worker of all groups also serves the web app, if it is built.
  const webApp = worker === "all" ? await readFolder(DASHBOARD) : new Map<string, Buffer>()
  const files = new Map<string, string | Buffer>(webApp)
  files.set("/_headers", headersFile(pages, webApp.get("/_headers")?.toString().trimEnd()))
  for (const { surface, api, pagePath, scriptPath } of pages) {
    files.set(api.documentPath, JSON.stringify(documentOf(surface)))
    files.set(`${pagePath}.html`, referencePage(api, scriptPath))
    files.set(scriptPath, viewer.text)
  }
  await writeFolder(join(TARGET, worker), files)
}

/** The files of a folder by their relative paths; empty if the folder does not exist. */
async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(paths.map(async (path) => [path.slice(folder.length), await readFile(path)] as const)),
  )
}

/**
 * Makes the folder contain exactly these files. Unchanged files are not written, because a server may be reading them.
 */
async function writeFolder(folder: string, files: Map<string, string | Buffer>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const wanted = new Map([...files].map(([path, text]) => [join(folder, path), text]))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !wanted.has(path)) await rm(path, { force: true })
  }
  for (const [path, text] of wanted) {
    if ((await readFile(path).catch(() => undefined))?.equals(Buffer.from(text))) continue
    await mkdir(dirname(path), { recursive: true })
    const draft = `${TARGET}.${process.pid}`
    await writeFile(draft, text)
    await rename(draft, path)
  }
}
