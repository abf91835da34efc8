import { useEffect, useRef } from "react"
import { useKept } from "./kept.ts"
import { rowAfter } from "./row-keys.ts"

/** The entry of this browser that is "off" if single keys do nothing. */
export const SINGLE_KEYS = "single-keys"

export const useSingleKeys = (): boolean => useKept(SINGLE_KEYS) !== "off"

/** A field in which a key is text, or a choice. */
const FIELD = "input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]"
/** While one of these is open, keys are for it. */
const OPEN = "dialog[open], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]:not([hidden])"

/** The key of an event if it is a single key for the page, in lower case. Otherwise an empty text. */
export function singleKey({ key, target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): string {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return ""
  if (target instanceof Element && target.closest(FIELD)) return ""
  return document.querySelector(OPEN) ? "" : key.toLowerCase()
}

/** Lets single keys move through the rows of a list and act on the focused one. `onChoose` gets the key of its row. */
export function useRowKeys(isList: boolean, onChoose: (rowKey: string) => void) {
  const body = useRef<HTMLTableSectionElement>(null)
  const choose = useRef(onChoose)
  choose.current = onChoose
  const isOn = useSingleKeys() && isList
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent) => {
      const key = singleKey(event)
      const rows = [...(body.current?.rows ?? [])]
      const row = document.activeElement?.closest("tr") ?? null
      const at = row ? rows.indexOf(row) : -1
      if ((key === "j" || key === "k") && rows.length > 0) rows[rowAfter(key, at, rows.length)]?.focus()
      else if (key === "enter" && row && document.activeElement === row && at >= 0)
        row.querySelector<HTMLElement>("a[href], button")?.click()
      else if (key === "x" && row && at >= 0) choose.current(row.dataset.key ?? "")
      else if (key === "e") document.querySelector<HTMLElement>("main a[download]")?.click()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [isOn])
  return body
}
