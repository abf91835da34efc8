import { resolve } from "node:path"
import { parseArgs } from "node:util"

/** The default port of the worker, also under `wrangler dev`. */
export const DEFAULT_PORT = 8787

/**
 * The other ports of the service, relative to its own. The provider's is fixed, because its address is stored with its
 * accounts.
 */
export const PORT_OFFSETS = { provider: 3, signIn: 4 } as const

const START_USAGE = `npm start -- [OPTIONS] runs the whole service on this machine with a demo account.
npm run stack -- [--port N] [--data DIR] runs only PostgreSQL, Redis and QStash, for \`npx wrangler dev\`.

  --port N     the port of the service (default: TURNPIKE_PORT, or ${DEFAULT_PORT}).
  --data DIR   the data directory (default: TURNPIKE_DATA, or .local).
  --providers  also run a demo provider with accounts in both pools and a model for each.
  --demo-data  generate a month of usage at the first start; implies --providers; takes minutes.
  --help       print this text.`

/** Reads the options of `npm start` and `npm run stack` (START_USAGE). `baseUrl` is the address of the worker. */
export function readStartOptions(args: string[], env: Record<string, string | undefined>) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      providers: { type: "boolean" },
      "demo-data": { type: "boolean" },
      help: { type: "boolean" },
    },
  })
  if (values.help) {
    console.log(START_USAGE)
    process.exit()
  }
  const port = Number(values.port ?? env.TURNPIKE_PORT ?? DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("--port requires a number from 1 to 65535.")
  const dataDir = resolve(values.data ?? env.TURNPIKE_DATA ?? ".local")
  const demoData = values["demo-data"] === true
  return { port, dataDir, baseUrl: `http://127.0.0.1:${port}`, providers: values.providers || demoData, demoData }
}
