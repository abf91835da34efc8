import { plainNumber } from "./plain-json.ts"

/** One line of CSV (RFC 4180). Null becomes an empty field. */
export const csvLine = (fields: (string | number | boolean | null)[]) =>
  `${fields.map((field) => csvField(textOf(field))).join(",")}\r\n`

const textOf = (field: string | number | boolean | null) =>
  typeof field === "number" ? plainNumber(field) : String(field ?? "")

/**
 * Prefixes a text with an apostrophe if a spreadsheet would run it as a formula (OWASP, CSV injection), also
 * after `;`, `|`, a tab or a line break. Existing apostrophes there get one too, and so does leading white
 * space other than a space. To restore a text, remove one apostrophe at the beginning and after each separator.
 */
export function harmless(text: string): string {
  return text.replace(FORMULA, "$&'").replace(/^(?=[\t\r\n])/, "'")
}

/** The text before a formula or an apostrophe, at the beginning or after a separator. */
const FORMULA = /(^|[;|\t\r\n])["\s]*(?=[=+\-@'\uff0b\uff0d\uff1d\uff20])/g

/** Also quotes fields that contain other separators than the comma. */
function csvField(field: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
