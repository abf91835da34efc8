import { useSyncExternalStore } from "react"
import { readBrowser, writeBrowser } from "../api/tab-store.ts"

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

/** Changes an entry of this browser; null removes it. Every part that shows the entry follows, also in other tabs. */
export function keep(name: string, value: string | null): void {
  writeBrowser(name, value)
  for (const listener of listeners) listener()
}

/** An entry of this browser, or null. */
export const useKept = (name: string): string | null => useSyncExternalStore(subscribe, () => readBrowser(name))
