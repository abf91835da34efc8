import { useSyncExternalStore } from "react"
import { readBrowser, readTab, writeBrowser, writeTab } from "./tab-store.ts"

/** A user as tabs tell each other. */
export interface TabUser {
  user_id: number
  name: string | null
}

interface PageUser {
  /** The signed-in user for whom this page was made; null before that is known, and on the page for signing in. */
  user: TabUser | null
  /** The account that the page shows: the user's own, another one of a member, or the one that an admin acts as. */
  account: TabUser | null
  /** An admin acts as the account, which concerns all tabs. Members may act for another account in each tab. */
  acting: boolean
}

/** Why the service refuses every request of the page, and the sentence that says so. */
export interface Barred {
  reason: "other_user" | "no_member" | "no_factor"
  sentence: string
}

const NO_ONE: PageUser = { user: null, account: null, acting: false }

let page: PageUser = NO_ONE
/** Null: the page and the session agree. */
let barred: Barred | null = null
const listeners = new Set<() => void>()

/** Every request of the page says for whom it was made (`X-Turnpike-User`), and is refused for any other user. */
export function setPageUser(user: TabUser | null): void {
  if (page.user?.user_id !== user?.user_id) page = { user, account: user && chosenBy(user), acting: false }
}

const CHOSEN = "account"

interface Choice {
  by: number
  /** Null: the user's own account. */
  account: TabUser | null
}

/** Makes this tab act for an account as its member, or for the user's own account (null), from the next page on. */
export function chooseAccount(user: TabUser, account: TabUser | null): void {
  const choice = JSON.stringify({ by: user.user_id, account } satisfies Choice)
  writeTab(CHOSEN, choice)
  // A link in a new tab opens the account that was chosen last.
  writeBrowser(CHOSEN, choice)
  page = { user, account, acting: false }
}

/** The next load shows the user's own account, in this tab and in new ones. */
export function leaveChosenAccount(): void {
  writeTab(CHOSEN, null)
  writeBrowser(CHOSEN, null)
}

/** The account for which this user acts in this tab; null: the own one. */
function chosenBy(user: TabUser): TabUser | null {
  const text = readTab(CHOSEN) ?? readBrowser(CHOSEN)
  const chosen = JSON.parse(text ?? "null") as Choice | null
  if (chosen?.by !== user.user_id) return null
  // From now on, the tab keeps its account, whatever other tabs choose.
  writeTab(CHOSEN, text)
  return chosen.account
}

/** The account of another user for which this page acts; null: the own one. */
export const pageAccount = (): TabUser | null => (page.account?.user_id === page.user?.user_id ? null : page.account)

/** The account that the service names for this page. */
export function setPageAccount(account: TabUser, { acting }: { acting: boolean }): void {
  page = { ...page, account, acting }
}

/** The value of the header. Only the operations of accounts look at the account. */
export function pageUserFor(path: string): string | null {
  const { user, account } = page
  if (!user) return null
  return account && path.startsWith("/api/account/") ? `${user.user_id}/${account.user_id}` : String(user.user_id)
}

/** Says over the page why it is refused; null ends that. */
export function setBarred(next: Barred | null): void {
  barred = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useBarred = () => useSyncExternalStore(subscribe, () => barred)

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("turnpike.session")

/** Tells the other tabs who is signed in now, and which account the tab shows. Null: this tab has signed out. */
export function tellTabs(told: PageUser | null): void {
  channel?.postMessage(told)
}

const nameOf = ({ user_id, name }: TabUser) => name ?? `user ${user_id}`

const setOther = (sentence: string) => setBarred({ reason: "other_user", sentence })

/** Follows the other tabs. `onOut`: the session has ended. `onBack`: the user of this page has signed in again. */
export function followTabs({ onOut, onBack }: { onOut: () => void; onBack: () => void }): () => void {
  const listen = ({ data }: MessageEvent<PageUser | null>) => {
    if (!page.user) return
    if (!data?.user) return onOut()
    const isSame = !data.account || !page.account || data.account.user_id === page.account.user_id
    if (data.user.user_id !== page.user.user_id)
      return setOther(`You are signed in as ${nameOf(data.user)} in another tab. Reload.`)
    if (data.account && !isSame && (data.acting || page.acting))
      return setOther(`You are viewing the account of ${nameOf(data.account)} in another tab. Reload.`)
    if (barred?.reason === "other_user") setBarred(null)
    onBack()
  }
  channel?.addEventListener("message", listen)
  return () => channel?.removeEventListener("message", listen)
}
