import type { Result, Router } from "hono/router"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { TrieRouter } from "hono/router/trie-router"

/**
 * Hono's RegExpRouter, plus a table of the paths without parameters. RegExpRouter cannot tell a word from a parameter at the same depth
 * (`/v1/turns/estimate`, `/v1/turns/:turn_id/cancel`); for one such pair Hono would use its slower TrieRouter for every request.
 */
export class TableRouter<T> implements Router<T> {
  readonly name = "TableRouter"
  private readonly patterns = new RegExpRouter<T>()
  private readonly all = new TrieRouter<T>()
  /** By path, then by method; filled when first asked for. */
  private readonly table = new Map<string, Map<string, Result<T>>>()
  private readonly methods = new Set<string>()

  add(method: string, path: string, handler: T): void {
    this.all.add(method, path, handler)
    this.methods.add(method)
    if (/[:*]/.test(path)) this.patterns.add(method, path, handler)
    else this.table.set(path, new Map())
  }

  match(method: string, path: string): Result<T> {
    const row = this.table.get(path)
    if (!row) return this.patterns.match(method, path)
    const known = row.get(method)
    if (known) return known
    const found = this.all.match(method, path)
    // Only methods that we serve, so invented ones do not fill the table.
    if (this.methods.has(method)) row.set(method, found)
    return found
  }
}
