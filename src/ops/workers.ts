import type pg from "pg"
import { deriveRing } from "../base/key-ring.ts"
import { accessOf, createRoles, grantRelease, roleName, urlFor, WORKER_ROLES } from "./grants.ts"
import { readRelease } from "./release.ts"

interface Workers {
  /** Undefined: all of them. */
  worker: string | undefined
  /** Whether roles that are there get a new password. */
  renew: boolean
  databaseUrl: string
}

/** Makes the workers' roles, gives each what its worker needs in this release, and says how those connect that are new. */
export async function grantWorkers(client: pg.ClientBase, { worker, renew, databaseUrl }: Workers): Promise<string> {
  const made = await createRoles(client, { renew, ...(worker && { workers: [worker] }) })
  const granted = await grantRelease(client, await readRelease())
  const lines = Object.entries(made).map(
    ([name, password]) => `${name.padEnd(10)} DATABASE_URL=${urlFor(databaseUrl, roleName(name), password)}`,
  )
  const shown = lines.length > 0 ? `\nShown once:\n${lines.join("\n")}` : ""
  return `What they need is granted to: ${granted.map((name) => roleName(name)).join(", ")}.${shown}`
}

/** Of a whole key ring, what each worker is to have as its SECRETS_KEYS. */
export async function workerKeys(ring: string | undefined, worker: string | undefined): Promise<string> {
  if (!ring) throw new Error("Set SECRETS_KEYS to the whole key ring.")
  const names = worker ? [worker] : WORKER_ROLES.filter((name) => name !== "all")
  const lines = names.map(
    async (name) => `${name.padEnd(10)} SECRETS_KEYS=${await deriveRing(ring, accessOf(name).purposes)}`,
  )
  return (await Promise.all(lines)).join("\n")
}
