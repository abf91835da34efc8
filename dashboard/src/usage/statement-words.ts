// A document to hand over has one form, in whatever browser it is made.
/** "October 2026" for the month 2026-10. */
export const monthWords = (month: string) =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" })

/** An amount with all of its decimals, and two at least: "1,234.50". */
export const usdWords = (usd: string | number) =>
  Number(usd).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 7 })
