import type { Result, Router } from "hono/router"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { TrieRouter } from "hono/router/trie-router"

/**
 * Hono's RegExpRouter, plus a table of paths without parameters. RegExpRouter rejects a word and a
 * parameter at the same depth (`/v1/turns/estimate`, `/v1/turns/:turn_id/cancel`), and Hono would then use
 * the slower TrieRouter for all requests. Here only the second of two such paths with parameters needs it.
 */
export class TableRouter<T> implements Router<T> {
  readonly name = "TableRouter"
  private readonly patterns = new RegExpRouter<T>()
  private readonly all = new TrieRouter<T>()
  /** By path, then by method. Entries are filled at the first request. */
  private readonly table = new Map<string, Map<string, Result<T>>>()
  private readonly methods = new Set<string>()
  /** The paths in RegExpRouter, as segments after the method, and patterns of the paths that conflict with them. */
  private readonly known: string[][] = []
  private readonly beside: RegExp[] = []

  add(method: string, path: string, handler: T): void {
    this.all.add(method, path, handler)
    this.methods.add(method)
    const segments = [method, ...path.split("/").slice(1)]
    if (!/[:*]/.test(path)) this.table.set(path, new Map())
    else if (!path.includes("*") && this.known.some((other) => differsByParameter(segments, other))) {
      this.beside.push(new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`))
    } else {
      this.patterns.add(method, path, handler)
      if (!path.includes("*")) this.known.push(segments)
    }
  }

  match(method: string, path: string): Result<T> {
    const row = this.table.get(path)
    if (!row)
      return this.beside.some((one) => one.test(path))
        ? this.all.match(method, path)
        : this.patterns.match(method, path)
    const known = row.get(method)
    if (known) return known
    const found = this.all.match(method, path)
    // Only known methods are stored, so that invented ones do not fill the table.
    if (this.methods.has(method)) row.set(method, found)
    return found
  }
}

const isParameter = (segment: string) => segment.startsWith(":")

/** True if the first different segment of two paths is a word in one and a parameter in the other. */
function differsByParameter(segments: string[], others: string[]): boolean {
  for (const [index, segment] of segments.entries()) {
    const other = others[index]
    if (other === undefined) return false
    if (isParameter(segment) !== isParameter(other)) return true
    if (!isParameter(segment) && segment !== other) return false
  }
  return false
}
