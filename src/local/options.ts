import { resolve } from "node:path"
import { parseArgs } from "node:util"

/** The default port of the worker, also under `wrangler dev`. */
export const DEFAULT_PORT = 8787

/** Reads the options of `npm start` and `npm run stack` (START_USAGE). `baseUrl` is the address of the worker. */
export function readStartOptions(args: string[], env: Record<string, string | undefined>) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      providers: { type: "boolean" },
      "demo-data": { type: "boolean" },
    },
  })
  const port = Number(values.port ?? env.TURNPIKE_PORT ?? DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("--port requires a number from 1 to 65535.")
  const dataDir = resolve(values.data ?? env.TURNPIKE_DATA ?? ".local")
  const demoData = values["demo-data"] === true
  return { port, dataDir, baseUrl: `http://127.0.0.1:${port}`, providers: values.providers || demoData, demoData }
}
