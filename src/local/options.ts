import { resolve } from "node:path"
import { parseArgs } from "node:util"

/** Where the worker, also `wrangler dev`, listens by default. */
export const DEFAULT_PORT = 8787

/** `--port N` and `--data DIR`, or TURNPIKE_PORT and TURNPIKE_DATA; `baseUrl` is the worker's. `--providers`: the demo's provider too; `--demo-data`: a month behind it. */
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
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("--port takes a number from 1 to 65535.")
  const dataDir = resolve(values.data ?? env.TURNPIKE_DATA ?? ".local")
  const demoData = values["demo-data"] === true
  return { port, dataDir, baseUrl: `http://127.0.0.1:${port}`, providers: values.providers || demoData, demoData }
}
