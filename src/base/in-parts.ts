/**
 * A list that is read in parts, since it may be more than one answer of the database (10 MiB) or a worker's memory holds. `head` and the
 * order of the list are of one moment; each part is of the moment at which it is read.
 */
export interface InParts<Head, Item> {
  head: Head
  parts: AsyncGenerator<Item[]>
}

/** What all lists say of themselves: `total` counts the entries of all pages. */
export interface ListHead {
  total: number
  limit: number
  offset: number
}

export interface ListPage {
  limit: number
  offset: number
}

/** Reads a list by its keys, so many at once. */
export async function* readInParts<Key, Item>(
  keys: readonly Key[],
  size: number,
  read: (keys: Key[]) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for (let at = 0; at < keys.length; at += size) yield await read(keys.slice(at, at + size))
}

/** The same of keys that weigh differently: of what is read at once no more than `most` together, but one key at least. */
export async function* readByWeight<Key, Item>(
  keys: readonly { key: Key; weight: number }[],
  most: number,
  read: (keys: Key[]) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  let part: Key[] = []
  let sum = 0
  for (const { key, weight } of keys) {
    if (part.length > 0 && sum + weight > most) {
      yield await read(part)
      part = []
      sum = 0
    }
    part.push(key)
    sum += weight
  }
  if (part.length > 0) yield await read(part)
}

/** All parts of a list that is known to be short. */
export async function wholeOf<Item>(parts: AsyncGenerator<Item[]>): Promise<Item[]> {
  const all: Item[] = []
  for await (const part of parts) all.push(...part)
  return all
}

/** Rows in the order of their keys; those that are gone meanwhile are left out. */
export function inOrder<Key, Row>(keys: readonly Key[], rows: readonly Row[], keyOf: (row: Row) => Key): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
