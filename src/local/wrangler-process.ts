import { parseArgs } from "node:util"
import { unstable_startWorker } from "wrangler"

/**
 * `wrangler dev` of one worker, as a command of its own: `--port N --env-file FILE --persist-to DIR`, in the folder of wrangler.toml. The
 * command of wrangler cannot leave its inspector out, through which any user of the machine could read the worker's memory.
 */
const { values } = parseArgs({
  options: { port: { type: "string" }, "env-file": { type: "string" }, "persist-to": { type: "string" } },
})
const { port, "env-file": envFile, "persist-to": persist } = values
if (!port || !envFile || !persist) throw new Error("Give --port, --env-file and --persist-to.")

const worker = await unstable_startWorker({
  config: "wrangler.toml",
  envFiles: [envFile],
  dev: {
    server: { hostname: "127.0.0.1", port: Number(port) },
    inspector: false,
    persist,
    testScheduled: true,
    watch: true,
    logLevel: "log",
  },
})
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void worker.dispose().finally(() => process.exit(0)))
}
