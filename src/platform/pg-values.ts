/** int8 as a number: amounts are micros, far below 2^53; anything above is a defect and must not be rounded. */
function parseInt8(text: string): number {
  const parsed = Number(text)
  if (!Number.isSafeInteger(parsed)) throw new Error(`int8 out of range: ${text}`)
  return parsed
}

const asText = (text: string) => text

/** How a value of a column is read, by the OID of its PostgreSQL type (pg_type.dat); every other type stays text. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === "t",
  20: parseInt8,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  114: JSON.parse,
  3802: JSON.parse,
  // timestamptz, as `2026-11-20 12:00:00.123+00`: sessions are in UTC
  1184: (text) => new Date(text.replace(" ", "T").replace(/\+00$/, "Z")),
}

export const parserOf = (oid: number): ((text: string) => unknown) => PARSERS[oid] ?? asText
