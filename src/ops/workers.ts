import type pg from "pg"
import { deriveRing } from "../base/key-ring.ts"
import { accessOf, createRoles, grantRelease, roleName, urlFor, WORKER_ROLES } from "./grants.ts"
import { readRelease } from "./release.ts"

interface Workers {
  /** Undefined for all workers. */
  worker: string | undefined
  /** True to give existing roles new passwords. */
  renew: boolean
  databaseUrl: string
}

/** Creates the workers' roles and grants their rights. Returns text with the connection strings of new roles. */
export async function grantWorkers(client: pg.ClientBase, { worker, renew, databaseUrl }: Workers): Promise<string> {
  const made = await createRoles(client, { renew, ...(worker && { workers: [worker] }) })
  const granted = await grantRelease(client, await readRelease())
  const lines = Object.entries(made).map(
    ([name, password]) => `${name.padEnd(10)} DATABASE_URL=${urlFor(databaseUrl, roleName(name), password)}`,
  )
  const shown = lines.length > 0 ? `\nShown once:\n${lines.join("\n")}` : ""
  return `Granted the rights of this release to: ${granted.map((name) => roleName(name)).join(", ")}.${shown}`
}

/** Derives the SECRETS_KEYS of each worker from the whole key ring. */
export async function workerKeys(ring: string | undefined, worker: string | undefined): Promise<string> {
  if (!ring) throw new Error("Set SECRETS_KEYS to the whole key ring.")
  const names = worker ? [worker] : WORKER_ROLES.filter((name) => name !== "all")
  const lines = names.map(
    async (name) => `${name.padEnd(10)} SECRETS_KEYS=${await deriveRing(ring, accessOf(name).purposes)}`,
  )
  return (await Promise.all(lines)).join("\n")
}
