import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import { readWorkerSettings } from "./build-worker.ts"

/**
 * A built worker in workerd, as a command of its own: `--port N --script FILE --variables FILE --persist-to DIR`, in the folder of
 * wrangler.toml, whose settings it takes. The variables are JSON. `npx wrangler dev` takes longer to start, and has proxies of its own in front
 * of the worker.
 */
const options = ["port", "script", "variables", "persist-to"] as const
const { values } = parseArgs({ options: Object.fromEntries(options.map((name) => [name, { type: "string" }])) })
const given = (name: (typeof options)[number]) => {
  const value = values[name]
  if (typeof value !== "string") throw new Error(`Give --${name}.`)
  return value
}

const { compatibility_date, compatibility_flags, assets, r2_buckets } = await readWorkerSettings(process.cwd())
const isOfAssets = (path: string) => path.startsWith("!")

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: Number(given("port")),
    log: new Log(LogLevel.INFO, { prefix: "" }),
    logRequests: false,
    // Takes runs of the cron trigger, at /cdn-cgi/local/scheduled.
    unsafeTriggerHandlers: true,
    // Doors that any user of the machine could use. There is no inspector either.
    unsafeLocalExplorer: false,
    unsafeObservability: false,
    cf: false,
    // Where `wrangler dev --persist-to` keeps them.
    resourcePersistencePath: join(given("persist-to"), "v3"),
    workers: [
      {
        name: "turnpike",
        modules: [{ type: "ESModule", path: given("script") }],
        modulesRoot: "/",
        compatibilityDate: compatibility_date,
        compatibilityFlags: compatibility_flags,
        bindings: JSON.parse(await readFile(given("variables"), "utf8")),
        r2Buckets: Object.fromEntries(r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name])),
        assets: {
          directory: join(process.cwd(), assets.directory),
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
  }),
)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void miniflare.dispose().finally(() => process.exit(0)))
}
await miniflare.ready
