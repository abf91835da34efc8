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
