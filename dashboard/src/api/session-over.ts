import { useSyncExternalStore } from "react"

let isOver = false
const listeners = new Set<() => void>()

/** Says whether the session has ended while a page is open. The frame then asks the user to sign in again. */
export function setSessionOver(over: boolean): void {
  isOver = over
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useSessionOver = () => useSyncExternalStore(subscribe, () => isOver)
