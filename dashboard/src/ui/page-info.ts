/** What the navigation, the palette and the proof know of a page before its code is loaded. */
export interface PageInfo {
  path: string
  title: string
  /** The sentence below the title. */
  about: string
  /** Its group in the navigation; a page without one is reached from another. */
  nav?: string
  /** How `npm run pages` finds values of its parameters: that field of the first entry of a list. */
  samples?: Record<string, { list: string; field: string }>
}
