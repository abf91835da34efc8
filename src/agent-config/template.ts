/**
 * `{{input}}`, `{{input.path.to.it}}`, `{{secrets.NAME}}`: the placeholders of a tool's request. Anything else in braces is a fault.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const REFERENCE = /^(?:(input)((?:\.[A-Za-z0-9_-]+)*)|secrets\.([A-Za-z_][A-Za-z0-9_]{0,63}))$/

export type Reference = { kind: "input"; path: string[] } | { kind: "secret"; name: string }

/** What a reference stands for; undefined when the input has no such value. Throws TemplateError for a secret that is not set. */
export type Resolve = (reference: Reference) => unknown

/** A template cannot be filled. The message is for the customer and the model, and contains no values. */
export class TemplateError extends Error {
  override name = "TemplateError"
}

function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text.trim())
  if (!match) return null
  if (match[3] !== undefined) return { kind: "secret", name: match[3] }
  return { kind: "input", path: (match[2] ?? "").split(".").filter((part) => part !== "") }
}

/** The first invalid placeholder in any text inside `value`, or null. For validation when a tool is configured. */
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

/** A text with its placeholders filled; each value goes through `encode`. A missing input becomes the empty text. */
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
 * A text of JSON with its placeholders filled, so that it stays the JSON that it is: a value in quotes becomes a part of that text, and
 * one without quotes becomes JSON itself. A missing input is null there.
 */
export function fillJsonText(template: string, resolve: Resolve): string {
  // A text in quotes, up to its end, or a placeholder outside of any.
  return template.replace(/"(?:\\.|\{\{[^{}]*\}\}|[^"\\])*"|\{\{[^{}]*\}\}/gs, (part) => {
    if (part.startsWith('"')) return fillText(part, resolve, (value) => JSON.stringify(value).slice(1, -1))
    return JSON.stringify(fillJson(part, resolve) ?? null)
  })
}

/** A JSON value with its texts filled. A text that is a single placeholder becomes the value itself, with its type. */
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

/** The value at `path` of a call's input. Own properties only, so an input cannot reach the prototype. */
export function inputAt(input: unknown, path: string[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
