import { build } from "esbuild"
import { Miniflare, NoOpLog } from "miniflare"
import { freePort } from "../src/local/postgres.ts"
import { descendants } from "./processes.ts"

export interface Runtime {
  url: string
  pid: number
  stop(): Promise<void>
}

/**
 * One worker in a workerd of its own, reached without any proxy in front of it. `bindings` is given the URL at which
 * the worker will listen.
 */
export async function startRuntime(entry: string, bindings: (url: string) => Record<string, string>): Promise<Runtime> {
  const bundle = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const before = new Set(await workerdProcesses())
  const miniflare = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.js", contents: bundle.outputFiles[0]?.text ?? "" }],
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["nodejs_compat"],
    bindings: bindings(url),
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    cf: false,
    log: new NoOpLog(),
  })
  await miniflare.ready
  const pid = (await workerdProcesses()).find((candidate) => !before.has(candidate))
  if (pid === undefined) throw new Error("The runtime's process was not found.")
  return { url, pid, stop: () => miniflare.dispose() }
}

async function workerdProcesses(): Promise<number[]> {
  const list = await descendants(process.pid)
  return list.filter(({ command }) => command.includes("workerd")).map(({ pid }) => pid)
}
