/** One line of CSV (RFC 4180) from its fields; null is an empty one. */
export const csvLine = (fields: (string | number | boolean | null)[]) =>
  `${fields.map((field) => csvField(field === null ? "" : String(field))).join(",")}\r\n`

/**
 * A spreadsheet would run a text that begins like a formula (OWASP, CSV injection), and anybody may have chosen it. Such a text gets
 * an apostrophe in front, and so does one that begins with an apostrophe: removing one always restores the text.
 */
export function harmless(text: string): string {
  return /^[=+\-@\t\r\n'\uff0b\uff0d\uff1d\uff20]/.test(text) ? `'${text}` : text
}

function csvField(field: string): string {
  return /[",\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
