import { essence } from "../base/media-bytes.ts"
import type { EngineName, Message, ObjectPart } from "./engine.ts"

/**
 * The media types that a provider accepts besides text, by its API reference. Other
 * files are only named to the model.
 */
export const TAKES: Record<EngineName, RegExp | null> = {
  anthropic: /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/,
  openai: /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/,
  "openai-compatible": /^image\/(png|jpeg|gif|webp)$/,
  rehearsal: null,
}

interface ImageLimits {
  bytes: number
  /** The longest side in pixels. */
  side: number
  /** The longest side in a call with more images than this. */
  many: { images: number; side: number }
}

/** The limits of one image, by the provider's API reference (Anthropic, Vision). Null: none below MAX_OBJECT_BYTES. */
export const IMAGE_LIMITS: Record<EngineName, ImageLimits | null> = {
  anthropic: { bytes: 5 * 1024 * 1024, side: 8_000, many: { images: 20, side: 2_000 } },
  openai: null,
  "openai-compatible": null,
  rehearsal: null,
}

/**
 * The most bytes of all objects in one call. A worker has 128 MB, and holds each object several
 * times, as bytes and as base64.
 */
export const MAX_OBJECT_BYTES = 15 * 1024 * 1024

/**
 * Selects the objects whose bytes are sent to the provider: accepted types, the
 * newest first, within the limit.
 */
export function shownObjects(engine: EngineName, messages: readonly Message[]): ReadonlySet<ObjectPart> {
  const shown = new Set<ObjectPart>()
  let left = MAX_OBJECT_BYTES
  for (const message of messages.toReversed()) {
    for (const part of objectsOf(engine, message)) {
      if (!TAKES[engine]?.test(essence(part.mediaType)) || part.bytes > left) continue
      shown.add(part)
      left -= part.bytes
    }
  }
  return shown
}

function objectsOf(engine: EngineName, message: Message): ObjectPart[] {
  if (message.role === "assistant") return []
  if (message.role === "user") return message.content.filter((part) => part.type === "object")
  // Chat completions of other servers allow only text in a tool message.
  if (engine === "openai-compatible") return []
  return message.content.flatMap(({ output }) =>
    output.type === "parts" ? output.value.filter((part) => part.type === "object") : [],
  )
}
