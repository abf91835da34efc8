import { ALONE } from "./dump.ts"
import type { World } from "./world.ts"

/**
 * Where each of `words` occurs in the whole database and in the world's objects in the bucket: as
 * plain text, in base64 or in hex.
 */
export async function searchEverywhere(world: World, words: Record<string, string>): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const look = (text: string, where: string) => {
    for (const [name, word] of Object.entries(words)) {
      if (!spellings(word).some((spelling) => text.includes(spelling))) continue
      found[name] = [...new Set([...(found[name] ?? []), where])]
    }
  }
  // The table names come from the catalog, so that the search includes tables that are added later.
  const tables = await world.sql<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  if (tables.length < 15) throw new Error(`only ${tables.length} tables?`)
  // One statement reads all tables, because there are nearly a hundred.
  const all = tables.map(({ name }) => `select '${name}' as name, to_jsonb(r)::text as row from ${name} r`)
  const spelled = Object.entries(words).flatMap(([word, text]) => spellings(text).map((spelling) => [word, spelling]))
  const hits = await world.sql<{ word: string; name: string }>(
    `with t as materialized (${all.join(" union all ")})
     select distinct w.word, t.name from (select ${ALONE}) alone, t
     join unnest($1::text[], $2::text[]) w(word, spelling) on strpos(t.row, w.spelling) > 0 order by 1, 2`,
    [spelled.map(([word]) => word), spelled.map(([, spelling]) => spelling)],
  )
  for (const { word, name } of hits) found[word] = [...(found[word] ?? []), `table ${name}`]
  for (const key of await keysOf(world)) {
    look(key, `the name of object ${key.split("/")[0]}/`)
    const object = await world.bucket.get(key)
    if (object) look(Buffer.from(await object.arrayBuffer()).toString("latin1"), `object ${key.split("/")[0]}/`)
  }
  return found
}

/** The keys of all objects that were stored since the world's creation. */
export async function keysOf(world: World, prefix = ""): Promise<string[]> {
  const keys: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await world.bucket.list({ prefix, ...(cursor && { cursor }) })
    keys.push(...page.objects.filter(({ uploaded }) => uploaded >= world.began).map(({ key }) => key))
    if (!page.truncated) return keys
    cursor = page.cursor
  }
}

/** A word itself, and its base64 at each of the three offsets in a text, without the edge characters. */
function spellings(word: string): string[] {
  const base64 = ["", "x", "xx"].map((before) => Buffer.from(`${before}${word}`).toString("base64").slice(4, -4))
  const hex = Buffer.from(word).toString("hex")
  return [word, ...base64, hex, hex.toUpperCase()]
}

/** Every amount of an account that an erasure must keep. */
export async function amountsOf({ sql }: Pick<World, "sql">, userId: number): Promise<unknown> {
  const [amounts] = await sql<{ amounts: unknown }>(
    `select jsonb_build_object(
       'wallet', (select to_jsonb(w) from wallets w where user_id = $1),
       'ledger', (select jsonb_agg(to_jsonb(l) order by ledger_id) from ledger l where user_id = $1),
       'usage', (select jsonb_agg(to_jsonb(u) order by turn_id, step, call) from usage u where user_id = $1),
       'steps', (select jsonb_agg(jsonb_build_array(p.turn_id, p.step, p.cost_credit_micros) order by p.turn_id, p.step)
         from turn_steps p join turns t using (turn_id) where t.user_id = $1),
       'turns', (select jsonb_agg(to_jsonb(t) - array['text', 'result', 'error_message', 'metadata', 'file_ids', 'outputs',
           'request_hash', 'erased_at', 'stream_until'] order by turn_id) from turns t where user_id = $1),
       'events', (select jsonb_agg(to_jsonb(e) - 'data' order by e.turn_id, e.seq)
         from turn_log e join turns t using (turn_id) where t.user_id = $1)
     ) as amounts`,
    [userId],
  )
  return amounts?.amounts
}
