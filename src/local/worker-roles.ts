import { createHmac, randomBytes } from "node:crypto"
import { createRoles, dropRoles, ROLE_PREFIX, roleName, urlFor, WORKER_ROLES } from "../ops/grants.ts"
import { withClient } from "./databases.ts"

/**
 * The roles of the workers on a server of which `adminUrl` is a superuser's. Their passwords are made of that one's, so that whoever uses the
 * same server finds them as they are.
 */
export async function createWorkerRoles(adminUrl: string, prefix = ROLE_PREFIX) {
  const secret = new URL(adminUrl).password || randomBytes(32)
  const password = (worker: string) => createHmac("sha256", secret).update(roleName(worker, prefix)).digest("base64url")
  await withClient(adminUrl, (client) => createRoles(client, { prefix, renew: true, password }))
  return {
    prefix,
    /** A database for the role of each worker. */
    urlsOf: (databaseUrl: string): Record<string, string> =>
      Object.fromEntries(
        WORKER_ROLES.map((worker) => [worker, urlFor(databaseUrl, roleName(worker, prefix), password(worker))]),
      ),
    drop: () => withClient(adminUrl, (client) => dropRoles(client, prefix)),
  }
}
