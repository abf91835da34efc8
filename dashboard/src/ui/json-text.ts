import { hashKey } from "@tanstack/react-query"

/** Parses typed JSON. `error` says why it is invalid. Empty text has no value. */
export function readJson(text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {}
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` }
  }
}

/** A value as JSON to edit; undefined is an empty text. */
export const jsonText = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2))

/** True if two values are the same JSON. The order of an object's properties does not count. */
export const isSameJson = (one: unknown, other: unknown) => hashKey([one]) === hashKey([other])
