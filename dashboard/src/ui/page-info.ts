import type { Operations } from "../api/operations.ts"

/** Data of a page for the navigation, the palette and `npm run pages`, available without its code. */
export interface PageInfo {
  path: string
  title: string
  /** The sentence below the title. */
  about: string
  /** Its group in the navigation. A page without a group is opened from another page. */
  nav?: string
  /** The operation for which the page exists. It is hidden from a role that does not include it. */
  does?: keyof Operations
  /** Where `npm run pages` finds values of path parameters: a field of the first entry of a list. */
  samples?: Record<string, { list: string; field: string }>
  /** The values of the search parameter `tab`. The first one is the default. */
  tabs?: readonly string[]
}
