import type { Result, Router } from "hono/router"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { TrieRouter } from "hono/router/trie-router"

/**
 * Hono's RegExpRouter, with a table of the paths that have no parameter: it cannot tell a word from a parameter in the same
 * place (`/v1/turns/estimate`, `/v1/turns/:turn_id/cancel`). For one such pair, Hono would walk its TrieRouter at every request.
 */
export class TableRouter<T> implements Router<T> {
  readonly name = "TableRouter"
  private readonly patterns = new RegExpRouter<T>()
  private readonly all = new TrieRouter<T>()
  /** By path, then by method: filled as they are asked for. */
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
    // Only methods of ours, so that nobody's inventions fill it.
    if (this.methods.has(method)) row.set(method, found)
    return found
  }
}
