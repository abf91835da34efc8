import { useSyncExternalStore } from "react"

const EVENTS = ["online", "offline"] as const

function subscribe(listener: () => void) {
  for (const event of EVENTS) addEventListener(event, listener)
  return () => {
    for (const event of EVENTS) removeEventListener(event, listener)
  }
}

/** False while the browser is offline. */
export const useOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)
