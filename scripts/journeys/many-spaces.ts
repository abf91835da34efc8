import { newId } from "../../src/base/ids.ts"
import { createUser } from "../../src/ops/seed.ts"
import { openStartedDatabase } from "./database.ts"

export const MANY = { owner: "Crowd", spaces: 50_000 }

/** Creates the account once, in the database of the `npm start` that uses `dataDir`. */
export async function makeManySpaces(dataDir: string): Promise<void> {
  const client = await openStartedDatabase(dataDir)
  try {
    const known = await client.query("select 1 from users where name = $1", [MANY.owner])
    if (known.rows.length > 0) return
    const user = await createUser(async (query, params) => (await client.query(query, params)).rows, {
      name: MANY.owner,
      email: "crowd@turnpike.test",
    })
    const slugs = Array.from({ length: MANY.spaces }, (_, n) => newId("space", new Date(Date.now() - n * 60_000)))
    await client.query(
      `insert into spaces (slug, user_id, title, created_at, updated_at)
       select slug, $1, 'Space ' || n, now() - n * interval '1 minute', now() - n * interval '1 minute'
       from unnest($2::text[]) with ordinality as made (slug, n)`,
      [user, slugs],
    )
    await client.query("analyze spaces")
  } finally {
    await client.end()
  }
}
