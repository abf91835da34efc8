import type pg from "pg"
import { LETTERS, LETTERS_QUERY } from "../platform/letters.ts"

/**
 * Throws if the database cannot store all letters, or the server cannot fold them: PostgreSQL 15 and 16 need ICU, with
 * which their packages are built. The locale of the database may be any.
 */
export async function requireLetters(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string; folds: boolean }>(
    `select current_setting('server_encoding') as encoding,
       current_setting('server_version_num')::integer >= 170000
         or exists (select from pg_collation where collname = 'und-x-icu') as folds`,
  )
  const { encoding, folds } = rows[0] ?? {}
  if (encoding !== "UTF8") {
    throw new Error(
      `The database has the encoding ${encoding}, and texts need UTF8. Create it with: create database turnpike encoding 'UTF8' locale 'C.UTF-8' template template0`,
    )
  }
  if (!folds) throw new Error("This PostgreSQL was built without ICU. Use one with ICU, or PostgreSQL 17 or later.")
}

/** Throws if the database folds letters in another way than this source, so searches would miss names. */
export async function checkLetters(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ folded: string }>(LETTERS_QUERY, [LETTERS.given])
  if (rows[0]?.folded === LETTERS.folded) return
  throw new Error(
    `The database folds ${LETTERS.given} to ${rows[0]?.folded} instead of ${LETTERS.folded}, so searches would miss names.`,
  )
}
