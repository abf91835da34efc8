import "./loopback.ts"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import { readWorkerSettings } from "./worker-settings.ts"

/**
 * Runs a built worker in workerd: `--port N --script FILE --variables FILE --persist-to DIR`, with the settings of
 * wrangler.toml in the current folder and variables as JSON. It starts faster than `npx wrangler dev` and has no
 * proxies. Each message of the parent process runs the cron trigger, and is answered with its outcome.
 */
const options = ["port", "script", "variables", "persist-to"] as const
const { values } = parseArgs({ options: Object.fromEntries(options.map((name) => [name, { type: "string" }])) })
const given = (name: (typeof options)[number]) => {
  const value = values[name]
  if (typeof value !== "string") throw new Error(`--${name} is missing.`)
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
process.on("message", async () => {
  const run = async () => (await (await miniflare.getWorker()).scheduled({ cron: "* * * * *" })).outcome
  process.send?.(await run().catch((error: unknown) => String(error)))
})
