import { COMPONENT_NAMES, columnOf, componentOf, isRequired, PRICE_COLUMNS } from "./price-components.ts"

const ofRow = (row: string) => PRICE_COLUMNS.map((column) => `${row}.${column}`).join(", ")

/**
 * The parts of procedures that the declaration of prices makes: `{{prices.columns c}}` becomes `c.price_input,
 * c.price_cached, …`.
 */
export const PRICE_SQL: Record<string, (argument: string) => string> = {
  /** The fields of a type. */
  fields: (otherNulls) =>
    COMPONENT_NAMES.map(
      (name) => `${columnOf(name)} bigint,${otherNulls === "" && isRequired(name) ? "" : " -- null"}`,
    ).join("\n  "),
  names: () => PRICE_COLUMNS.join(", "),
  columns: ofRow,
  /** The prices of a version, which is the current one or a former one. */
  ofEither: (rows) => {
    const [current, former] = rows.split(" ")
    return PRICE_COLUMNS.map((column) => `coalesce(${current}.${column}, ${former}.${column})`).join(", ")
  },
  /** Assignments from another row. */
  assigned: (row) => PRICE_COLUMNS.map((column) => `${column} = ${row}.${column}`).join(", "),
  /** The prices that a token of the prompt can have. */
  ofPrompt: (row) =>
    COMPONENT_NAMES.filter((name) => componentOf(name).inPrompt)
      .map((name) => `${row}.${columnOf(name)}`)
      .join(", "),
}
