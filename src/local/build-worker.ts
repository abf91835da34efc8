import { execFile } from "node:child_process"
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises"
import { setPriority } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { digestOfSources, isBuilt, noteBuilt, type Target } from "./built.ts"
import { makeTemporaryDirectory } from "./temporary-directory.ts"
import { readWorkerSettings } from "./worker-settings.ts"

const run = promisify(execFile)

/** As `nice` counts: higher numbers get less of the processors, if others want them too. */
const BUILD_PRIORITY = 3

/** Other versions of packages build other files from the same sources. */
const PACKAGES = ["package.json", "package-lock.json", "tsconfig.json"]
const CLIENTS = ["client", "ai-sdk", "client-python", "releases", "LICENSE"]

/** The web app, with the packages of the clients. `dashboard/build.ts` builds it. */
export const WEB_APP: Target = {
  name: "dashboard",
  sources: [
    "dashboard",
    ...CLIENTS,
    "scripts",
    "src/local",
    "src/base/casts.ts",
    "src/portal",
    "src/reference/served-packages.ts",
    ...PACKAGES,
  ],
  outputs: ["dist/dashboard"],
}

/** The static files of all workers, with the web app. `scripts/build-docs.ts` builds them. */
export const staticFiles = (origins: string): Target => ({
  name: "docs",
  sources: ["src", "functions", "dashboard", ...CLIENTS, "scripts", ...PACKAGES],
  outputs: ["dist/docs", "dist/dashboard"],
  input: origins,
})

/** The sources of the worker of all groups. */
const WORKER = ["src", "functions", ...CLIENTS, ...PACKAGES, "wrangler.toml"]
/** The number of bundles that are kept: a running service may still read a former one. */
const KEPT_BUNDLES = 4

/** Bundles a worker of a checkout in the same way as wrangler, so that the same code runs here and at Cloudflare. */
export async function bundleWorker(root: string, entry: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["node:*", "cloudflare:*"],
    // No code of ours reads the name of a function, and `__name` took 2 % of the CPU.
    keepNames: false,
    sourcemap: true,
    logLevel: "error",
  })
}

/** Builds the static files of the workers if their sources have changed. Returns whether it did. */
export async function buildStaticFiles(root: string): Promise<boolean> {
  const target = staticFiles("")
  if (await isBuilt(root, target, await digestOfSources(root, target))) return false
  const { DOCS_ORIGINS: _, ...env } = process.env
  const build = run(process.execPath, [join(root, "scripts/build-docs.ts"), "--with-web-app"], { cwd: root, env })
  // The first turn of `npm start` runs at the same time and is more urgent.
  if (build.child.pid) setPriority(build.child.pid, BUILD_PRIORITY)
  await build
  return true
}

/** Bundles the worker that serves all groups, and builds its static files. */
export async function buildWorker(root: string, outfile: string): Promise<void> {
  const { main } = await readWorkerSettings(root)
  await Promise.all([buildStaticFiles(root), bundleWorker(root, main, outfile)])
}

/**
 * Bundles the worker of all groups into a folder of `dist/worker`, if its sources have changed. The folder has the name
 * of their digest, because a running service may still read a former bundle. `isNew` says whether it was built now.
 */
export async function workerOfSources(root: string): Promise<{ script: string; isNew: boolean }> {
  const bundles = join(root, "dist/worker")
  const digest = await digestOfSources(root, { name: "worker", sources: WORKER, outputs: [] })
  const name = digest.slice(0, 12)
  const target: Target = { name: "worker", sources: WORKER, outputs: [`dist/worker/${name}`] }
  const folder = join(bundles, name)
  const script = join(folder, "worker.js")
  if (await isBuilt(root, target, digest)) return { script, isNew: false }
  const { main } = await readWorkerSettings(root)
  await mkdir(bundles, { recursive: true })
  const draft = await makeTemporaryDirectory("worker", join(root, "dist"))
  await bundleWorker(root, main, join(draft, "worker.js"))
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
  await noteBuilt(root, target, digest)
  await removeOldBundles(bundles)
  return { script, isNew: true }
}

async function removeOldBundles(bundles: string): Promise<void> {
  const names = await readdir(bundles)
  const ages = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(bundles, name))).mtimeMs })))
  for (const { name } of ages.sort((a, b) => b.at - a.at).slice(KEPT_BUNDLES))
    await rm(join(bundles, name), { recursive: true, force: true })
}
