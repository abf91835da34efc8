import { useSyncExternalStore } from "react"

/** A user as tabs tell each other. */
export interface TabUser {
  user_id: number
  name: string | null
}

interface PageUser {
  /** The signed-in user for whom this page was made; null before that is known, and on the page for signing in. */
  user: TabUser | null
  /** The account that the page shows, which is another user's while an admin acts as them. Null: not known yet. */
  account: TabUser | null
}

const NO_ONE: PageUser = { user: null, account: null }

let page: PageUser = NO_ONE
/** The sentence about the user for whom this page was not made. Null: the page and the session agree. */
let other: string | null = null
const listeners = new Set<() => void>()

/** Every request of the page says for whom it was made (`X-Turnpike-User`), and is refused for any other user. */
export function setPageUser(user: TabUser | null): void {
  if (page.user?.user_id !== user?.user_id) page = { user, account: null }
}

/** `acting`: an admin acts as this account. */
export function setPageAccount(account: TabUser): void {
  page = { ...page, account }
}

/** The value of the header. Only the operations of accounts look at the account. */
export function pageUserFor(path: string): string | null {
  const { user, account } = page
  if (!user) return null
  return account && path.startsWith("/api/account/") ? `${user.user_id}/${account.user_id}` : String(user.user_id)
}

/** Says over the page that it was made for another user; null ends that. */
export function setOtherUser(sentence: string | null): void {
  other = sentence
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useOtherUser = () => useSyncExternalStore(subscribe, () => other)

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("turnpike.session")

/** Tells the other tabs who is signed in now, and which account the tab shows. Null: this tab has signed out. */
export function tellTabs(told: PageUser | null): void {
  channel?.postMessage(told)
}

const nameOf = ({ user_id, name }: TabUser) => name ?? `user ${user_id}`

/** Follows the other tabs. `onOut`: the session has ended. `onBack`: the user of this page has signed in again. */
export function followTabs({ onOut, onBack }: { onOut: () => void; onBack: () => void }): () => void {
  const listen = ({ data }: MessageEvent<PageUser | null>) => {
    if (!page.user) return
    if (!data?.user) return onOut()
    const isAccount = !data.account || !page.account || data.account.user_id === page.account.user_id
    if (data.user.user_id !== page.user.user_id)
      return setOtherUser(`You are signed in as ${nameOf(data.user)} in another tab. Reload.`)
    if (!isAccount && data.account)
      return setOtherUser(`You are viewing the account of ${nameOf(data.account)} in another tab. Reload.`)
    setOtherUser(null)
    onBack()
  }
  channel?.addEventListener("message", listen)
  return () => channel?.removeEventListener("message", listen)
}
