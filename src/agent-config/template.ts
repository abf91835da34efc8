import { isFields } from "../base/fields.ts"
import type { Profile } from "../base/profile.ts"

/**
 * The placeholders of a tool's request: `{{input}}`, `{{input.path.to.it}}`, `{{secrets.NAME}}`, and the values of the
 * turn: `{{end_user.ref}}`, `{{turn.id}}`, `{{conversation.id}}`, `{{metadata.KEY}}` and `{{profile.KEY}}`, with a
 * default as `{{metadata.KEY | "text"}}`. All others are invalid.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const REFERENCE =
  /^(?:(input)((?:\.[A-Za-z0-9_-]+)*)|secrets\.([A-Za-z_][A-Za-z0-9_]{0,63})|(end_user\.ref|turn\.id|conversation\.id|(?:metadata|profile)\.[A-Za-z0-9_.-]{1,64})(?:\s*\|\s*"([^"\\]*)")?)$/

/** The placeholders of a turn's values, for messages. */
const OF_TURN = "{{end_user.ref}}, {{turn.id}}, {{conversation.id}}, {{metadata.KEY}}, {{profile.KEY}}"
/** All placeholders, for messages. */
export const PLACEHOLDERS = `{{input}}, {{input.x}}, {{secrets.NAME}}, ${OF_TURN}`

export type Reference =
  | { kind: "input"; path: string[] }
  | { kind: "secret"; name: string }
  | { kind: "turn"; name: string; fallback: string | undefined }

/** The value of a reference; undefined if the input has no such value. Throws TemplateError if a value is missing. */
export type Resolve = (reference: Reference) => unknown

/** The values of placeholders in a turn. */
export interface TurnValues {
  /** Null: a web chat without an end user. */
  endUserRef: string | null
  /** Null in a test of a tool, which has no turn. */
  turnId: string | null
  conversationId: string | null
  metadata: Readonly<Record<string, string>>
  /** The end user's profile when the turn started. */
  profile: Readonly<Profile>
}

/** A template cannot be filled. The owner and the model see the message, so it contains no values. */
export class TemplateError extends Error {
  override name = "TemplateError"
}

function parseReference(text: string): Reference | null {
  const match = REFERENCE.exec(text.trim())
  if (!match) return null
  const [, , path = "", secret, name, fallback] = match
  if (secret !== undefined) return { kind: "secret", name: secret }
  if (name !== undefined) return { kind: "turn", name, fallback }
  return { kind: "input", path: path.split(".").filter((part) => part !== "") }
}

/**
 * The value of a turn's placeholder. Throws TemplateError without a value and a default: a request without its end user
 * could mean all of them.
 */
export function turnValue({ name, fallback }: Reference & { kind: "turn" }, values: TurnValues): unknown {
  const value = knownValue(name, values) ?? fallback
  if (value === undefined) throw new TemplateError(`{{${name}}} has no value in this turn.`)
  return value
}

/** The value of a placeholder by its name; undefined without one. */
export function knownValue(name: string, values: TurnValues): string | number | boolean | undefined {
  const { endUserRef, turnId, conversationId, metadata, profile } = values
  if (name === "end_user.ref") return endUserRef ?? undefined
  if (name === "turn.id") return turnId ?? undefined
  if (name === "conversation.id") return conversationId ?? undefined
  const [, of = "", key = ""] = /^(metadata|profile)\.(.+)$/.exec(name) ?? []
  const known = of === "profile" ? profile : metadata
  return Object.hasOwn(known, key) ? known[key] : undefined
}

/** All references in the texts of a value. Invalid placeholders are left out. */
export function referencesIn(value: unknown): Reference[] {
  return [...textsOf(value)].flatMap((text) =>
    [...text.matchAll(PLACEHOLDER)].flatMap(([, reference]) => parseReference(reference as string) ?? []),
  )
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
  else if (isFields(value)) {
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
    if (!reference) throw new TemplateError(`${placeholder} is no known placeholder.`)
    const value = resolve(reference)
    if (value === undefined || value === null) return ""
    return encode(typeof value === "string" ? value : JSON.stringify(value))
  })
}

/** A whole string in quotes, or a placeholder outside of strings. */
const JSON_PART = /"(?:\\.|\{\{[^{}]*\}\}|[^"\\])*"|\{\{[^{}]*\}\}/gs

/** The value of a JSON text, in which its placeholders are texts; undefined if it is not JSON. */
export function templateInText(template: string): unknown {
  try {
    const text = template.replace(JSON_PART, (part) => {
      const inner = part.startsWith('"') ? part.slice(1, -1) : part
      return part.startsWith('"') && !inner.includes("{{") ? part : JSON.stringify(inner)
    })
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A JSON text with its placeholders filled, so that it stays valid JSON. A placeholder in quotes becomes a part of that
 * string. A placeholder without quotes becomes a JSON value, and null if the input is missing.
 */
export function fillJsonText(template: string, resolve: Resolve): string {
  return template.replace(JSON_PART, (part) => {
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
