import type { Column } from "./columns.ts"

/** Below 640 px, a row is a card with three lines. These are the classes of its cells in a grid of twelve columns. */
export const PLACES = {
  title: "max-sm:row-start-1 max-sm:col-[1/8] max-sm:font-strong",
  aside: "max-sm:row-start-1 max-sm:col-[8/13] max-sm:justify-end",
  left2: "max-sm:row-start-2 max-sm:col-[1/7]",
  right2: "max-sm:row-start-2 max-sm:col-[7/13] max-sm:justify-end",
  long: "max-sm:row-start-2 max-sm:col-[1/13]",
  left3: "max-sm:row-start-3 max-sm:col-[1/7]",
  right3: "max-sm:row-start-3 max-sm:col-[7/13] max-sm:justify-end",
  none: "max-sm:hidden",
} as const

type Place = keyof typeof PLACES

/**
 * The places of the columns on a card. The first line has the first column and the first figure. The actions end the
 * last line. The other places have the first other columns and the last one. A column of long texts has two places.
 */
export function placesOf<Row>(columns: readonly Column<Row>[]): Place[] {
  const actions = columns.findIndex((column) => column.actions)
  const aside = columns.findIndex(({ right, actions }, index) => index > 0 && right && !actions)
  const long = columns.findIndex((column) => column.long)
  const second: Place[] = long < 0 ? ["left2", "right2"] : []
  const free: Place[] = [...second, "left3", ...(actions < 0 ? (["right3"] as const) : [])]
  const taken = [0, actions, aside, long]
  const others = columns.map((_, index) => index).filter((index) => !taken.includes(index))
  const shown = others.length <= free.length ? others : [...others.slice(0, free.length - 1), ...others.slice(-1)]
  return columns.map((_, index) => {
    if (index === 0) return "title"
    if (index === aside) return "aside"
    if (index === actions) return "right3"
    if (index === long) return "long"
    return free[shown.indexOf(index)] ?? "none"
  })
}
