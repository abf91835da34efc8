import type { Range } from "./report-range.ts"

/**
 * A list that is read in parts, since it may exceed one database response (10 MiB) or a worker's
 * memory. `head` and the order are a snapshot; each part is read later.
 */
export interface InParts<Head, Item> {
  head: Head
  parts: AsyncGenerator<Item[]>
}

/** A list whose keys and range tell how long its file would be, and which entries a later file has. */
export interface KeyedParts<Head, Item> extends InParts<Head, Item> {
  keys: readonly (number | string)[]
  range: Range
}

/** A page that may end before its `limit`. `tail` has the field that is known after the last part. */
export interface CutInParts<Head, Item> extends InParts<Head, Item> {
  tail: () => { next_offset: number | null }
}

/** The page fields of all lists. `total` counts the entries of all pages. */
export interface ListHead {
  total: number
  limit: number
  offset: number
}

export interface ListPage {
  limit: number
  offset: number
}

/** Reads a list by its keys, `size` keys at a time. */
export async function* readInParts<Key, Item>(
  keys: readonly Key[],
  size: number,
  read: (keys: Key[]) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for (let at = 0; at < keys.length; at += size) yield await read(keys.slice(at, at + size))
}

/** Like `readInParts`, with weighted keys: a part has a total weight of at most `most`, but at least one key. */
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

/**
 * Ends a page of entries that have days before it has more than `most` days. It has at least one entry. `next_offset`
 * is where the next page begins, or null on the last page.
 */
export function cutByDays<Head extends ListHead, Item>(
  { head, parts }: InParts<Head, Item>,
  most: number,
  daysOf: (item: Item) => number,
): CutInParts<Head, Item> {
  let given = 0
  async function* cut(): AsyncGenerator<Item[]> {
    let days = 0
    for await (const part of parts) {
      const fitting: Item[] = []
      for (const item of part) {
        days += daysOf(item)
        if (days > most && given > 0) {
          yield fitting
          return
        }
        fitting.push(item)
        given++
      }
      yield fitting
    }
  }
  const tail = () => {
    const next = head.offset + given
    return { next_offset: given > 0 && next < head.total ? next : null }
  }
  return { head, parts: cut(), tail }
}

/** All parts of a list that is known to be short. */
export async function wholeOf<Item>(parts: AsyncGenerator<Item[]>): Promise<Item[]> {
  const all: Item[] = []
  for await (const part of parts) all.push(...part)
  return all
}

/** Rows in the order of their keys. Keys without a row, deleted in the meantime, are skipped. */
export function inOrder<Key, Row>(keys: readonly Key[], rows: readonly Row[], keyOf: (row: Row) => Key): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
