import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { build } from "esbuild"
import { readWorkerSettings } from "./worker-settings.ts"

const run = promisify(execFile)

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
    keepNames: true,
    sourcemap: true,
    logLevel: "error",
  })
}

/** Builds the static files of the workers: the documents, and the web app if its build is older than its sources. */
export async function buildStaticFiles(root: string): Promise<void> {
  await run("npm", ["run", "--silent", "build:dashboard", "--", "--if-stale"], { cwd: root })
  await run("npm", ["run", "--silent", "build:docs"], { cwd: root })
}

/** Bundles the worker that serves all groups, and builds its static files. */
export async function buildWorker(root: string, outfile: string): Promise<void> {
  const { main } = await readWorkerSettings(root)
  await Promise.all([buildStaticFiles(root), bundleWorker(root, main, outfile)])
}
