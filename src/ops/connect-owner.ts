import pg from "pg"
import { SET_SESSION } from "../platform/session-settings.ts"

/**
 * Opens a direct connection of the database's owner, with the settings on which answers depend. If the server ends it
 * while it is idle, its next statement fails, and the process continues.
 */
export async function connectOwner(connectionString: string, timeoutMs?: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    ...(timeoutMs !== undefined && { connectionTimeoutMillis: timeoutMs }),
  })
  client.on("error", () => {})
  await client.connect()
  try {
    await client.query(SET_SESSION)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}
