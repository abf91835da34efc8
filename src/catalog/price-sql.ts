import { ONE_TIER } from "../agent/service-tier.ts"
import { CALL_COUNT_NAMES, COUNT_COLUMNS, countColumnOf, countOf, isRequiredCount } from "../agent/token-names.ts"
import { COMPONENT_NAMES, columnOf, componentOf, isRequired, PER_TOKENS, PRICE_COLUMNS } from "./price-components.ts"
import { REGION, TERM_COLUMNS, WHOLE_FACTOR } from "./price-terms.ts"
import { SOURCE_COLUMNS } from "./provider-prices.ts"

/** The columns of our prices. */
const COLUMNS = [...PRICE_COLUMNS, ...TERM_COLUMNS]
/** The columns of a price version. */
const OF_VERSION = [...COLUMNS, ...SOURCE_COLUMNS]

const ofRow = (row: string) => OF_VERSION.map((column) => `${row}.${column}`).join(", ")

const pricesOf = (row: string, side: "inPrompt" | "inOutput") =>
  COMPONENT_NAMES.filter((name) => componentOf(name)[side])
    .map((name) => `${row}.${columnOf(name)}`)
    .join(", ")

/**
 * The parts of procedures that the declarations of prices and of counts make: `{{prices.columns c}}` becomes
 * `c.price_input, c.price_cached, …`.
 */
export const PRICE_SQL: Record<string, (argument: string) => string> = {
  /** The fields of a type: all of a version, or with the argument `unknown` those of our prices, each null if unknown. */
  fields: (otherNulls) =>
    [
      ...COMPONENT_NAMES.map(
        (name) => `${columnOf(name)} bigint,${otherNulls === "" && isRequired(name) ? "" : " -- null"}`,
      ),
      ...[...TERM_COLUMNS, ...(otherNulls === "" ? SOURCE_COLUMNS : [])].map((column) => `${column} jsonb, -- null`),
    ].join("\n  "),
  names: () => OF_VERSION.join(", "),
  columns: ofRow,
  /** Our prices of a version, which is the current one or a former one. */
  ofEither: (rows) => {
    const [current, former] = rows.split(" ")
    return COLUMNS.map((column) => `coalesce(${current}.${column}, ${former}.${column})`).join(", ")
  },
  /** Assignments from another row. */
  assigned: (row) => OF_VERSION.map((column) => `${column} = ${row}.${column}`).join(", "),
  /** The fields of the counts of a model call, in a type. */
  countFields: () =>
    CALL_COUNT_NAMES.map((name) => `${countColumnOf(name)} bigint,${isRequiredCount(name) ? "" : " -- null"}`).join(
      "\n  ",
    ),
  countNames: () => COUNT_COLUMNS.join(", "),
  counts: (row) => COUNT_COLUMNS.map((column) => `${row}.${column}`).join(", "),
  /** The counts of a call from its object. A null takes no space in the row. */
  countsOfJson: (object) =>
    CALL_COUNT_NAMES.map((name) => {
      const units = `(${object} ->> '${countColumnOf(name)}')::bigint`
      return isRequiredCount(name) ? units : `nullif(${units}, 0)`
    }).join(", "),
  /** Adds to a sum in millionths what the most units cost that neither the prompt nor the output bounds. */
  plusMost: (row) =>
    COMPONENT_NAMES.map((name) => {
      const { count, per } = componentOf(name)
      const most = count && countOf(count).most
      return most === undefined
        ? ""
        : ` + coalesce(${row}.${columnOf(name)}, 0)::numeric * ${(most * PER_TOKENS) / per}`
    }).join(""),
  /** The prices that a token of the prompt can have, and those of the output. */
  ofPrompt: (row) => pricesOf(row, "inPrompt"),
  ofOutput: (row) => pricesOf(row, "inOutput"),
  /** The names of regions, as a pattern of like, and the factor that changes nothing. */
  regions: () => `'${REGION.replaceAll("_", "\\_")}%'`,
  /** The names that an answer can give to the tier that was asked for. */
  namesOfTier: (tier) =>
    `case when ${tier} = any('{${ONE_TIER.join(",")}}') then '{${ONE_TIER.join(",")}}' else array[${tier}] end`,
  wholeFactor: () => String(WHOLE_FACTOR),
}
