/** One page of a list. */
export interface Page<T> {
  data: T[]
  has_more: boolean
  /** Pass it to `page()` to get the next page. Null on the last page. */
  next_cursor: string | null
}

/**
 * A list that loads its pages as you iterate. Nothing is sent before that, and every iteration starts again.
 *
 * @example
 * for await (const turn of turnpike.turns.list({ end_user_ref: "customer-42" })) console.log(turn.turn_id)
 */
export class List<T> implements AsyncIterable<T> {
  readonly #load: (cursor: string | undefined) => Promise<Page<T>>

  /** @internal */
  constructor(load: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#load = load
  }

  /**
   * Loads one page: the first, or the page of another page's `next_cursor`. Its size is the `limit` of the list.
   *
   * @example
   * const { data, next_cursor } = await turnpike.turns.list({ limit: 50 }).page()
   */
  page(cursor?: string): Promise<Page<T>> {
    return this.#load(cursor)
  }

  /**
   * Returns the items as an array, at most `max` items.
   *
   * @example
   * const lastTen = await turnpike.turns.list({ state: "failed" }).toArray(10)
   */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const items: T[] = []
    if (max <= 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= max) break
    }
    return items
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined
    for (;;) {
      const page = await this.#load(cursor)
      yield* page.data
      if (!page.has_more || page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }
}
