import type { ShownRate } from "../platform/turn-windows.ts"

/** The headers in the document of an operation that sends turns. */
export const RATE_HEADERS = {
  "RateLimit-Policy": "The limits of the rates that apply. Only if the key or its end user has a rate.",
  RateLimit: "How much is left of each of them.",
}

/** The headers of draft-ietf-httpapi-ratelimit-headers. Both are lists of structured fields, with an item per limit. */
export function rateHeaders(shown: readonly ShownRate[]): [string, string][] {
  const policies = shown.map(({ name, limit, windowSeconds, unit }) =>
    item(name, { q: limit, qu: unit && `"${unit}"`, w: windowSeconds }),
  )
  const states = shown.flatMap(({ name, left, resetSeconds }) =>
    left === null ? [] : [item(name, { r: left, t: resetSeconds })],
  )
  const headers: [string, string[]][] = [
    ["RateLimit-Policy", policies],
    ["RateLimit", states],
  ]
  return headers.flatMap(([name, items]) => (items.length > 0 ? [[name, items.join(", ")] as [string, string]] : []))
}

const item = (name: string, parameters: Record<string, number | string | null>) =>
  [
    `"${name}"`,
    ...Object.entries(parameters).flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`])),
  ].join(";")
