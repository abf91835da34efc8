const RAISED =
  "max-h-[var(--available-height)] overflow-y-auto rounded-md border border-line bg-raised shadow-lg outline-none"
/** The classes of a panel with fields, of the popup of a menu, and of an item. */
export const PANEL = `${RAISED} max-w-[calc(100vw-24px)] p-3`
export const MENU_POPUP = `${RAISED} min-w-[160px] p-1`
export const MENU_ITEM =
  "flex h-8 items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover data-disabled:opacity-60"
