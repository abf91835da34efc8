import type pg from "pg"

/**
 * Prepares a database that pg_restore has filled. A new server counts transactions from the start, so restored events
 * would look as if their transactions had not begun, and readers of the feed would not see them. Returns their number.
 */
export async function markRestored(client: pg.ClientBase): Promise<number> {
  await client.query("begin")
  try {
    // No worker may write in the meantime. The owner of a table may disable its triggers; a superuser is not needed.
    await client.query("alter table events disable trigger events_append_only")
    const { rowCount } = await client.query("update events set xact = '0' where xact <> '0'")
    await client.query("alter table events enable trigger events_append_only")
    await client.query("insert into restores (restored_at) values (clock_timestamp())")
    await client.query("commit")
    return rowCount ?? 0
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}
