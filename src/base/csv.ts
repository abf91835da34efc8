import { plainNumber } from "./plain-json.ts"

/** One line of CSV (RFC 4180) from its fields; null is an empty one. */
export const csvLine = (fields: (string | number | boolean | null)[]) =>
  `${fields.map((field) => csvField(textOf(field))).join(",")}\r\n`

const textOf = (field: string | number | boolean | null) =>
  typeof field === "number" ? plainNumber(field) : String(field ?? "")

/**
 * A spreadsheet would run a text that begins like a formula (OWASP, CSV injection), and anybody may have chosen it. Such a text gets an
 * apostrophe in front. A spreadsheet that separates fields at `;`, `|` or a tab splits a text there and would run what follows: each such
 * formula gets one too. So does an apostrophe at these places, and a text that begins with white space of another kind than a space: to
 * restore a text, remove one apostrophe from its beginning, and one after each of these separators.
 */
export function harmless(text: string): string {
  return text.replace(FORMULA, "$&'").replace(/^(?=[\t\r\n])/, "'")
}

/** What stands before a formula, or before an apostrophe, at the beginning of a text or after a separator. */
const FORMULA = /(^|[;|\t\r\n])["\s]*(?=[=+\-@'\uff0b\uff0d\uff1d\uff20])/g

/** Quoted where another separator than the comma could split it, too. */
function csvField(field: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
