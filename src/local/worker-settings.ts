import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "smol-toml"
import { undeclared } from "../base/casts.ts"

/** The settings in wrangler.toml of the worker that serves all groups, as far as the local server uses them. */
export interface WorkerSettings {
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  assets: { directory: string; binding: string; not_found_handling: "none"; run_worker_first: string[] }
  r2_buckets: { binding: string; bucket_name: string }[]
}

/** Reads the settings of the checkout in `root`. */
export async function readWorkerSettings(root: string): Promise<WorkerSettings> {
  return undeclared<WorkerSettings>(parse(await readFile(join(root, "wrangler.toml"), "utf8")))
}
