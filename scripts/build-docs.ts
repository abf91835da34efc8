import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { headersFile, viewerPage } from "../src/reference/page.ts"
import { siteFiles, sitePages } from "../src/reference/site.ts"
import type { DescribedApi } from "../src/reference/site-operations.ts"
import { readViewer } from "../src/reference/viewer.ts"
import { documentOf, SURFACES, type SurfaceName, WORKERS } from "./documents.ts"
import { portalFiles } from "./portal-files.ts"

/**
 * `npm run build:docs` writes the static assets of each worker to dist/docs/WORKER: the OpenAPI documents and the pages
 * of the reference, and the portal. Wrangler runs it before every start and deploy, and tests run it before they start.
 */
const TARGET = "dist/docs"
/** The addresses of the service for the OpenAPI documents. `npm run deploy` sets them. */
const ORIGINS = (process.env.DOCS_ORIGINS ?? "").split(",").filter(Boolean)
const DASHBOARD = "dist/dashboard"

/**
 * The workers that serve the pages. One worker serves those of both APIs, since they share files. They have all
 * operations of an API, also if other workers serve these.
 */
const PAGES = ["all", "v1"]

const reference = await readReference()
const portal = await portalFiles()
for (const worker of Object.keys(WORKERS)) {
  const { files: pages, kept } = PAGES.includes(worker) ? reference : { files: new Map<string, string>(), kept: [] }
  // The worker of all groups also serves the web app, if it is built.
  const webApp = worker === "all" ? await readFolder(DASHBOARD) : new Map<string, Buffer>()
  const ofPortal = PAGES.includes(worker) ? portal : []
  const files = new Map<string, string | Buffer>([...webApp, ...pages, ...ofPortal])
  const pagePaths = kept.length > 0 ? Object.values(SURFACES).map(({ api }) => api.pagePath) : []
  files.set("/_headers", headersFile({ pagePaths, kept }, webApp.get("/_headers")?.toString().trimEnd()))
  await writeFolder(join(TARGET, worker), files)
}

/** The pages, documents and shared files of both APIs, and the paths of files that browsers keep. */
async function readReference() {
  const shared = await siteFiles()
  const viewer = readViewer()
  const viewerPath = `/docs/${viewer.name}`
  const files = new Map<string, string | Buffer>([...shared.files, [viewerPath, viewer.text]])
  const kept = [...shared.kept, viewerPath]
  for (const surface of Object.keys(SURFACES) as SurfaceName[]) {
    const { api } = SURFACES[surface]
    const document = documentOf(surface, undefined, ORIGINS)
    const [other] = Object.values(SURFACES).filter((one) => one.api !== api)
    const pages = sitePages(api, document as unknown as DescribedApi, shared.names, other?.api ?? api)
    for (const [path, content] of pages.files) files.set(path, content)
    files.set(api.documentPath, JSON.stringify(document))
    files.set(`${api.pagePath}/try.html`, viewerPage(api, viewerPath))
  }
  return { files, kept }
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
