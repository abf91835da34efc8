import { env as bindings } from "cloudflare:workers"
import type { TestNamespace } from "./namespace.ts"

/** Docs/architecture/database.md says which errors a statement of the service may have, and why: each costs a connection. */
const NORMAL = /^40P01 /

const isThorough = Boolean((bindings as unknown as { TURNPIKE_THOROUGH: string }).TURNPIKE_THOROUGH)

/** Returns what fails when a statement has failed since that is neither normal nor one of `failing`. The thorough tier plants errors. */
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
