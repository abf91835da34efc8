/** All entries of the app in the session storage of this tab begin with this. */
const PREFIX = "turnpike."

/** Used if the browser offers no session storage. Then the entries last until the page is reloaded. */
const memory = new Map<string, string>()

/** Reads an entry of this tab. Entries survive a reload and a sign-in, but not the end of the tab. */
export function readTab(name: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + name)
  } catch {
    return memory.get(name) ?? null
  }
}

/** Writes an entry of this tab; null removes it. */
export function writeTab(name: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, value)
  } catch {
    // The storage is full, or the browser blocks it.
    if (value === null) memory.delete(name)
    else memory.set(name, value)
  }
}

/** Reads an entry that all tabs of the browser share. */
export function readBrowser(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** Writes an entry that all tabs of the browser share; null removes it. Without a storage, tabs share nothing. */
export function writeBrowser(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {
    // The storage is full, or the browser blocks it.
  }
}

/** Removes all entries of this tab, when the user signs out. */
export function clearTab(): void {
  memory.clear()
  try {
    const names = Array.from({ length: sessionStorage.length }, (_, n) => sessionStorage.key(n) ?? "")
    for (const name of names) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
  } catch {
    // Without storage, nothing is left to remove.
  }
}
