import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import type { Dialect } from "../base/dialects.ts"

/** One call of an operation, with all its parameters. */
export interface SampleCall {
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  /** True if the request body is a file. */
  upload: boolean
  /** True if the response is a page of a list. */
  paged: boolean
}

/**
 * The client's method for each operation, such as `turns.create`. Its arguments are the path parameters, then the
 * body or query.
 */
export type ClientMethods = Record<string, string>

/** A client with samples: the name of its package, and the variable for it. */
export interface SampledClient {
  label: string
  variable: string
}

export const OWN_CLIENT: SampledClient = { label: CLIENT_PACKAGE, variable: "turnpike" }
export const DIALECT_CLIENTS: Record<Dialect, SampledClient> = {
  openai: { label: "openai", variable: "openai" },
  anthropic: { label: "@anthropic-ai/sdk", variable: "anthropic" },
}

/** The code sample for a client. The viewer makes the samples for curl and other languages itself. */
export function clientSample(call: SampleCall, method: string, { label, variable } = OWN_CLIENT) {
  return { lang: "TypeScript", label, source: clientCallOf(call, `${variable}.${method}`) }
}

function clientCallOf({ params, query, body, upload, paged }: SampleCall, method: string): string {
  const last = upload
    ? { ...query, data: "Order A-1, paid." }
    : (body ?? (Object.keys(query).length > 0 ? query : undefined))
  const values = [...Object.values(params), ...(last === undefined ? [] : [last])]
  const call = `${method}(${values.map((value) => literal(value, "")).join(", ")})`
  return paged ? `for await (const item of ${call}) console.log(item)` : `await ${call}`
}

/** A value as a TypeScript literal. Keys have no quotes unless they need them. */
function literal(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${literal(item, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"]
  const line = `${open}${parts.join(", ")}${close}`
  if (line.length <= 60 && !line.includes("\n")) return parts.length > 0 ? line : line.replace(/ /g, "")
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close.trim()}`
}
