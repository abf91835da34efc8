import type { Context } from "../actor/context.ts"
import { secretTarget } from "../agent-config/secret.ts"
import { TemplateError } from "../agent-config/template.ts"
import { storable } from "../base/storable.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { maskIdentity } from "./identity.ts"

/** The decrypted secrets of one space, for one invocation. */
export interface Secrets {
  /** Returns the value. Throws TemplateError if the secret is not set. */
  get(name: string): string
  /**
   * Makes a text storable and masks every secret in it, in all spellings that a server may return, and every token
   * of `Turnpike-Identity`.
   * Storable comes first, because removed characters could separate the letters of a secret.
   */
  mask(text: string): string
}

const MASK = "••••••"

export function createSecrets(values: Record<string, string>): Secrets {
  // Longest first, because one spelling may be a part of another.
  const spellings = [...new Set(Object.values(values).flatMap(spellingsOf))].sort((a, b) => b.length - a.length)
  return {
    get(name) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === undefined) throw new TemplateError(`The secret ${name} is not set in this space.`)
      return value
    },
    mask: (text) =>
      spellings.reduce((masked, spelling) => masked.replaceAll(spelling, MASK), maskIdentity(storable(text), MASK)),
  }
}

const LEAST = 4

/** The spellings of a value: plain, in a URL, in JSON, in hexadecimal, and within base64 at any alignment. */
function spellingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  const quoted = JSON.stringify(value).slice(1, -1)
  const escaped = quoted.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
  const inUrl = encodeURIComponent(value)
  const inForm = new URLSearchParams({ v: value }).toString().slice(2)
  const plain = [value, value.trim(), quoted, escaped, quoted.replaceAll("/", "\\/"), html]
  const encoded = [inUrl, inUrl.toLowerCase(), inForm, hex, hex.toUpperCase(), ...base64Of(bytes)]
  return [...plain, ...encoded].filter((spelling) => spelling.length >= LEAST)
}

/**
 * The base64 of the bytes after 0, 1 or 2 other bytes, without the characters
 * that depend on their neighbours.
 */
function base64Of(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = [...new Array<number>(before).fill(0), ...bytes]
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor((padded.length * 8) / 6)
    const text = btoa(String.fromCharCode(...padded)).slice(first, last)
    // Shorter pieces could be parts of ordinary words, so they are not masked.
    return text.length >= 6 ? [text, text.replaceAll("+", "-").replaceAll("/", "_")] : []
  })
}

/**
 * Decrypts a space's secrets. A secret that an older key sealed is sealed again with the
 * newest key, in the background.
 */
export async function openSecrets(
  ctx: Context,
  { spaceId, slug, sealed }: { spaceId: number; slug: string; sealed: Record<string, string> },
): Promise<Secrets> {
  const opened = await Promise.all(
    Object.entries(sealed).map(async ([name, box]) => {
      const { text, stale } = await ctx.keyRing.open(box, secretTarget(slug, name))
      if (stale) ctx.background(rewrap(ctx, { spaceId, slug, name, old: box, text }))
      return [name, text] as const
    }),
  )
  return createSecrets(Object.fromEntries(opened))
}

async function rewrap(
  ctx: Context,
  { spaceId, slug, name, old, text }: { spaceId: number; slug: string; name: string; old: string; text: string },
): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, secretTarget(slug, name))
    await call(ctx.db, "reseal_secret", { space_id: spaceId, name, old, sealed })
  } catch (error) {
    ctx.log("error", "secret.rewrap_failed", { space: slug, error: describeError(error) })
  }
}
