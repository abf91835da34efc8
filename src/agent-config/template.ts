/**
 * The placeholders of a tool's request: `{{input}}`, `{{input.path.to.it}}` and `{{secrets.NAME}}`. All others are
 * invalid.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const REFERENCE = /^(?:(input)((?:\.[A-Za-z0-9_-]+)*)|secrets\.([A-Za-z_][A-Za-z0-9_]{0,63}))$/

export type Reference = { kind: "input"; path: string[] } | { kind: "secret"; name: string }

/** The value of a reference; undefined if the input has no such value. Throws TemplateError if a secret is not set. */
export type Resolve = (reference: Reference) => unknown

/** A template cannot be filled. The customer and the model see the message, so it contains no values. */
export class TemplateError extends Error {
  override name = "TemplateError"
}

function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text.trim())
  if (!match) return null
  if (match[3] !== undefined) return { kind: "secret", name: match[3] }
  return { kind: "input", path: (match[2] ?? "").split(".").filter((part) => part !== "") }
}

/** The first invalid placeholder in any text inside `value`; null if all are valid. Used when a tool is configured. */
export function wrongPlaceholder(value: unknown): string | null {
  for (const text of textsOf(value)) {
    for (const [placeholder, reference] of text.matchAll(PLACEHOLDER)) {
      if (!parseReference(reference as string)) return placeholder
    }
  }
  return null
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item)
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* textsOf(item)
    }
  }
}

/** A text with its placeholders filled. Each value passes through `encode`. A missing input becomes the empty text. */
export function fillText(template: string, resolve: Resolve, encode: (value: string) => string = (value) => value) {
  return template.replace(PLACEHOLDER, (placeholder: string, text: string) => {
    const reference = parseReference(text)
    if (!reference) throw new TemplateError(`${placeholder} is neither an input nor a secret.`)
    const value = resolve(reference)
    if (value === undefined || value === null) return ""
    return encode(typeof value === "string" ? value : JSON.stringify(value))
  })
}

/**
 * A JSON text with its placeholders filled, so that it stays valid JSON. A placeholder in quotes becomes a part of that
 * string. A placeholder without quotes becomes a JSON value, and null if the input is missing.
 */
export function fillJsonText(template: string, resolve: Resolve): string {
  // Matches a whole string in quotes, or a placeholder outside of strings.
  return template.replace(/"(?:\\.|\{\{[^{}]*\}\}|[^"\\])*"|\{\{[^{}]*\}\}/gs, (part) => {
    if (part.startsWith('"')) return fillText(part, resolve, (value) => JSON.stringify(value).slice(1, -1))
    return JSON.stringify(fillJson(part, resolve) ?? null)
  })
}

/** A JSON value with its texts filled. A text that is only a placeholder becomes the value itself, with its type. */
export function fillJson(template: unknown, resolve: Resolve): unknown {
  if (typeof template === "string") {
    const whole = /^\{\{([^{}]*)\}\}$/.exec(template)
    const reference = whole && parseReference(whole[1] as string)
    return reference ? resolve(reference) : fillText(template, resolve)
  }
  if (Array.isArray(template)) return template.map((item) => fillJson(item, resolve) ?? null)
  if (typeof template !== "object" || template === null) return template
  const filled = Object.entries(template).map(([key, item]) => [key, fillJson(item, resolve)] as const)
  return Object.fromEntries(filled.filter(([, item]) => item !== undefined))
}

/** The value at `path` of a call's input. Only own properties count, so an input cannot reach the prototype. */
export function inputAt(input: unknown, path: string[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
