/**
 * Numbers in the language of the browser. Fields, ids, commands and texts to copy have the form of the API instead.
 * A language in which "$" is another currency writes "US$".
 */
export const USD = { style: "currency", currency: "USD", signDisplay: "negative" } as const
const MONEY_DECIMALS = 7
const ENERGY_DECIMALS = 6
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 }

/** How one kind of number is shown: exactly, as in tables and bills, and with two decimals, as in headlines. */
export interface NumberForm {
  exact: Intl.NumberFormat
  rounded: Intl.NumberFormat
  /** The most decimals of an exact number. */
  decimals: number
}

const formOf = (options: Intl.NumberFormatOptions, decimals: number): NumberForm => ({
  exact: new Intl.NumberFormat(undefined, { ...options, ...CENTS, maximumFractionDigits: decimals }),
  rounded: new Intl.NumberFormat(undefined, { ...options, ...CENTS }),
  decimals,
})

export const MONEY = formOf(USD, MONEY_DECIMALS)
export const ENERGY = formOf({ signDisplay: "negative" }, ENERGY_DECIMALS)

/** A number with two decimals. One that is less than the smallest of them says so. */
export const roundedText = (value: number, { rounded }: NumberForm): string =>
  value > 0 && value < 0.01 ? `< ${rounded.format(0.01)}` : rounded.format(value)

/** A number of things, with separators of thousands. */
export const countText = (value: number): string => value.toLocaleString()

const oneDecimal = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A number with one decimal. */
export const decimal = (value: number): string => oneDecimal.format(value)

const rough = new Intl.NumberFormat(undefined, { ...USD, maximumSignificantDigits: 2 })

/** An amount with two digits that count, for the scale of a small picture: `$0.0047`, `$12`. */
export const roughUsd = (usd: number): string => rough.format(usd)

/** A count with the name of what is counted: "1 turn", "2 turns". */
export const counted = (count: number, what: string): string => `${countText(count)} ${what}${count === 1 ? "" : "s"}`
