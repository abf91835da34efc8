import { env as bindings } from "cloudflare:workers"
import type { TestNamespace } from "./namespace.ts"

/** The errors that a statement of the service may have (docs/architecture/connections.md). Each costs a connection. */
const NORMAL = /^40P01 /

const isThorough = Boolean((bindings as unknown as { TURNPIKE_THOROUGH: string }).TURNPIKE_THOROUGH)

/**
 * The returned function throws if another statement has failed. It never throws in the thorough tier, which
 * plants errors.
 */
export async function watchErrors({ connections }: TestNamespace, failing?: RegExp): Promise<() => Promise<void>> {
  const before = (await connections()).errors
  return async () => {
    if (isThorough) return
    const after = (await connections()).errors
    const found = Object.entries(after).filter(
      ([kind, times]) => times !== before[kind] && !NORMAL.test(kind) && !failing?.test(kind),
    )
    if (found.length > 0) throw new Error(`Statements failed, and each costs a connection: ${JSON.stringify(found)}`)
  }
}
