import { resolve } from "node:path"
import { parseArgs } from "node:util"

/** `--port N` and `--data DIR`, or TURNPIKE_PORT and TURNPIKE_DATA. */
export function readOptions(args: string[], env: Record<string, string | undefined>) {
  const { values } = parseArgs({ args, options: { port: { type: "string" }, data: { type: "string" } } })
  const port = Number(values.port ?? env.TURNPIKE_PORT ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("--port takes a number from 1 to 65535.")
  return { port, dataDir: resolve(values.data ?? env.TURNPIKE_DATA ?? ".local") }
}
