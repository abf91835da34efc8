import "./loopback.ts"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import { readWorkerSettings } from "./worker-settings.ts"

/**
 * Runs a built worker in workerd: `--port N --variables FILE --persist-to DIR`, with the settings of wrangler.toml in
 * the current folder and variables as JSON. It starts faster than `npx wrangler dev` and has no proxies. Its parent
 * process sends an `Order`, and gets "ok" or an error as the answer.
 */
const options = ["port", "variables", "persist-to"] as const
const { values } = parseArgs({ options: Object.fromEntries(options.map((name) => [name, { type: "string" }])) })
const given = (name: (typeof options)[number]) => {
  const value = values[name]
  if (typeof value !== "string") throw new Error(`--${name} is missing.`)
  return value
}

/** `serve` starts a worker, or starts it again with the static files of now. `cron` runs the cron trigger. */
export type Order = { serve: string } | { cron: true }

const settings = await readWorkerSettings(process.cwd())
let miniflare: Miniflare | undefined

async function optionsOf(script: string) {
  const { compatibility_date, compatibility_flags, assets, r2_buckets } = settings
  const isOfAssets = (path: string) => path.startsWith("!")
  const directory = join(process.cwd(), assets.directory)
  // Static files may be built only after the first start of the worker.
  await mkdir(directory, { recursive: true })
  return convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: Number(given("port")),
    log: new Log(LogLevel.INFO, { prefix: "" }),
    logRequests: false,
    // Every user of this machine could use these. The inspector is not started for the same reason.
    unsafeTriggerHandlers: false,
    unsafeLocalExplorer: false,
    unsafeObservability: false,
    cf: false,
    // The same folder as `wrangler dev --persist-to` uses.
    resourcePersistencePath: join(given("persist-to"), "v3"),
    workers: [
      {
        name: "turnpike",
        modules: [{ type: "ESModule", path: script }],
        modulesRoot: "/",
        compatibilityDate: compatibility_date,
        compatibilityFlags: compatibility_flags,
        bindings: JSON.parse(await readFile(given("variables"), "utf8")),
        r2Buckets: Object.fromEntries(r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name])),
        assets: {
          directory,
          binding: assets.binding,
          routerConfig: {
            has_user_worker: true,
            static_routing: {
              user_worker: assets.run_worker_first.filter((path) => !isOfAssets(path)),
              asset_worker: assets.run_worker_first.filter(isOfAssets).map((path) => path.slice(1)),
            },
          },
          assetConfig: { not_found_handling: assets.not_found_handling, compatibility_date, compatibility_flags },
        },
      },
    ],
  })
}

async function serve(script: string): Promise<string> {
  const ready = await optionsOf(script)
  if (miniflare) await miniflare.setOptions(ready)
  else miniflare = new Miniflare(ready)
  await miniflare.ready
  return "ok"
}

async function cron(): Promise<string> {
  const worker = await (miniflare as Miniflare).getWorker()
  return (await worker.scheduled({ cron: "* * * * *" })).outcome
}

// One order after the other: each answer belongs to the oldest order.
let last: Promise<unknown> = Promise.resolve()
process.on("message", (order: Order) => {
  last = last
    .then(() => ("serve" in order ? serve(order.serve) : cron()))
    .catch((error: unknown) => String(error))
    .then((answer) => process.send?.(answer))
})
function end(): void {
  const ended = miniflare ? miniflare.dispose() : Promise.resolve()
  void ended.finally(() => process.exit(0))
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
// Our parent has ended.
process.once("disconnect", end)
