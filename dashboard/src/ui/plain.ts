const EXPONENT = /"(?:[^"\\]|\\.)*"|-?\d(?:\.\d+)?e-\d+/g

/** A number as its shortest decimals: `0.0000009`, where `String` writes `9e-7`. */
export function plainNumber(value: number): string {
  const [digits = "", power] = String(Math.abs(value)).split("e-")
  if (power === undefined) return String(value)
  return `${value < 0 ? "-" : ""}0.${"0".repeat(Number(power) - 1)}${digits.replace(".", "")}`
}

/** A value as indented JSON, with plain decimals too. */
export const plainJson = (value: unknown, indent = 2): string =>
  (JSON.stringify(value, null, indent) ?? "undefined").replace(EXPONENT, (part) =>
    part.startsWith('"') ? part : plainNumber(Number(part)),
  )

/** The number that a user typed. Any other text is sent unchanged, and the API rejects it. */
export const typedNumber = (text: string): number =>
  text.trim() === "" || Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text)

/** The same for a field that may be empty: null. */
export const typedOrNull = (text: string): number | null => (text.trim() === "" ? null : typedNumber(text))
