import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { staticFiles } from "../src/local/build-worker.ts"
import { digestOfSources, noteBuilt } from "../src/local/built.ts"
import { headersFile, viewerPage } from "../src/reference/page.ts"
import { siteFiles, sitePages } from "../src/reference/site.ts"
import type { DescribedApi } from "../src/reference/site-operations.ts"
import { readViewer } from "../src/reference/viewer.ts"
import { documentOf, SURFACES, type SurfaceName, WORKERS } from "./documents.ts"
import { readFolder, writeFolder } from "./folder-files.ts"
import { portalFiles } from "./portal-files.ts"

/**
 * `npm run build:docs` writes the static assets of each worker to dist/docs/WORKER: the OpenAPI documents and the pages
 * of the reference, and the portal. Wrangler runs it before every start and deploy. With --with-web-app it also builds
 * the web app, if its sources have changed.
 */
const TARGET = "dist/docs"
/** The addresses of the service for the OpenAPI documents. `npm run deploy` sets them. */
const GIVEN_ORIGINS = process.env.DOCS_ORIGINS ?? ""
const ORIGINS = GIVEN_ORIGINS.split(",").filter(Boolean)
const ROOT = process.cwd()
const DASHBOARD = "dist/dashboard"

/**
 * The workers that serve the pages. One worker serves those of both APIs, since they share files. They have all
 * operations of an API, also if other workers serve these.
 */
const PAGES = ["all", "v1"]

const state = staticFiles(GIVEN_ORIGINS)
const digest = await digestOfSources(ROOT, state)
const webAppBuild = process.argv.includes("--with-web-app") ? buildWebApp() : null
webAppBuild?.catch(() => {})
const reference = await readReference()
const portal = await portalFiles()
await webAppBuild
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
await noteBuilt(ROOT, state, digest)

/** Another process, so that it runs while the reference is built. */
async function buildWebApp(): Promise<void> {
  await promisify(execFile)(process.execPath, ["dashboard/build.ts", "--if-stale"])
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
