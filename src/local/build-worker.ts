import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { parse } from "smol-toml"

const run = promisify(execFile)

/** What wrangler.toml says of the worker of every group, as far as it is served here. */
export interface WorkerSettings {
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  assets: { directory: string; binding: string; not_found_handling: "none"; run_worker_first: string[] }
  r2_buckets: { binding: string; bucket_name: string }[]
}

/** The settings of the checkout in `root`. */
export async function readWorkerSettings(root: string): Promise<WorkerSettings> {
  return parse(await readFile(join(root, "wrangler.toml"), "utf8")) as unknown as WorkerSettings
}

/** Bundles a worker of a checkout as wrangler does, so that the same code runs here and at Cloudflare. */
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

/** Bundles the worker of every group, and builds its static files: the web app if it is older than its sources, and the documents. */
export async function buildWorker(root: string, outfile: string): Promise<void> {
  const { main } = await readWorkerSettings(root)
  const assets = async () => {
    await run("npm", ["run", "--silent", "build:dashboard", "--", "--if-stale"], { cwd: root })
    await run("npm", ["run", "--silent", "build:docs"], { cwd: root })
  }
  await Promise.all([assets(), bundleWorker(root, main, outfile)])
}
