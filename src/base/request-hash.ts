import { createHash } from "node:crypto"
import { isRawNumber } from "./exact-json.ts"

/** SHA-256 (hex) of a JSON value with sorted keys: equal for bodies with the same meaning. */
export function hashRequest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortKeys)).digest("hex")
}

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value) || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
