/** What a look knows of a column. The facts of a column have the types of React, which tests in Node do not. */
interface KnownColumn {
  title: string
  rare?: boolean
}

/** How a user wants to see a table: the columns that differ from the usual ones, and the height of its rows. */
export interface TableLook {
  shown: Record<string, boolean>
  isCompact: boolean
}

/** Reads a kept look. Any other text gives the usual look. */
export function lookIn(text: string | null): TableLook {
  try {
    const { shown, isCompact } = JSON.parse(text ?? "{}") as Partial<TableLook>
    const known = Object.entries(shown ?? {}).filter(([, is]) => typeof is === "boolean")
    return { shown: Object.fromEntries(known), isCompact: isCompact === true }
  } catch {
    return { shown: {}, isCompact: false }
  }
}

/** True if a column is visible: by the user's choice, otherwise unless it is rare. */
export const isShown = ({ title, rare }: KnownColumn, { shown }: TableLook): boolean => shown[title] ?? !rare

/** The look after a column is shown or hidden. A choice that equals the usual one is not kept. */
export function withColumn(look: TableLook, { title, rare }: KnownColumn, is: boolean): TableLook {
  const { [title]: _old, ...others } = look.shown
  return { ...look, shown: is === !rare ? others : { ...others, [title]: is } }
}
