import { useLocation, useNavigate, useRouteContext, useSearch } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { useRights } from "../ui/rights.ts"
import { isOperators } from "./all-pages.ts"
import { commandsFor, type Entry, type Situation } from "./commands.ts"
import { useSearchHits } from "./search-hits.ts"

/** The page that shows an object, by the prefix of its id. */
const PAGES_OF_IDS: Record<string, string> = {
  turn: "/turns/",
  spc: "/spaces/",
  key: "/keys/",
  whk: "/webhooks/",
  dlv: "/deliveries/",
  conv: "/turns?conversation=",
}

const IS_ID = /^[a-z]+_[0-9a-z]{26}$/

/** The pages of a pasted id, before everything that matches the text. */
function entriesOf(text: string, situation: Situation): Entry[] {
  const wanted = text.trim()
  const { admin } = situation
  const prefix = /^([a-z]+)_[0-9a-z]{6,}$/i.exec(wanted)?.[1]?.toLowerCase() ?? ""
  const home = PAGES_OF_IDS[prefix]
  const ids: Entry[] = home ? [{ label: wanted, hint: "Open", href: home + encodeURIComponent(wanted) }] : []
  if (admin && prefix === "spc")
    ids.push({ label: wanted, hint: "Open as operator", href: `/operator/spaces/${wanted}` })
  if (admin && prefix === "turn") {
    const anyones = { label: wanted, hint: "Open as operator", href: `/operator/turns/${wanted}` }
    ids.splice(situation.operators ? 0 : 1, 0, anyones)
  }
  if (admin && /^\d+$/.test(wanted))
    ids.push({ label: `User ${wanted}`, hint: "Open", href: `/operator/users/${wanted}` })
  return [...ids, ...commandsFor(text, situation)].slice(0, 12)
}

export function Palette({ onClose }: { onClose: () => void }) {
  const { user } = useRouteContext({ from: "/app" })
  const navigate = useNavigate()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const list = useId()
  const { pathname } = useLocation()
  const { test } = useSearch({ from: "/app" })
  const situation = {
    userId: user.user_id,
    admin: user.role === "admin",
    test: test === true,
    operators: isOperators(pathname),
    rights: useRights(),
  }
  const found = useSearchHits(text, { ...situation, test })
  const known = entriesOf(text, situation)
  const others = found.filter(({ href }) => known.every((entry) => entry.href !== href))
  // Pages come first, so that results which arrive later move no entry. A found id replaces the guess.
  const entries = IS_ID.test(text.trim()) && found.length > 0 ? found : [...known, ...others]
  useEffect(() => dialog.current?.showModal(), [])

  const go = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    if (entry.run) entry.run()
    else if (entry.leaves) location.assign(entry.href)
    else void navigate({ href: entry.href })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (event.key === "Enter") go(entries[at])
    else if (step && entries.length > 0) setAt((at + step + entries.length) % entries.length)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      aria-label="Search"
      onClose={onClose}
      className="mx-auto mt-[12dvh] mb-auto w-[560px] max-w-[calc(100vw-24px)] rounded-md border border-line bg-raised p-0 text-text shadow-xl backdrop:bg-[rgb(0_0_0/0.4)]"
    >
      <input
        role="combobox"
        aria-label="Page or id"
        aria-controls={list}
        aria-expanded={entries.length > 0}
        aria-activedescendant={entries[at] ? `${list}-${at}` : undefined}
        placeholder="Find a page, an action or a document, or paste an id"
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
        }}
        className="h-11 w-full rounded-t-md border-line border-b bg-transparent px-4 text-sm -outline-offset-2 placeholder:text-muted"
      />
      <div id={list} role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-y-auto p-2">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys
          <div
            key={`${entry.href} ${entry.label}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => go(entry)}
            className="flex h-9 cursor-pointer items-center gap-3 rounded-md px-2 hover:bg-hover aria-selected:bg-accent-soft"
          >
            <span className="grow truncate">{entry.label}</span>
            <span className="text-muted text-xs">{entry.hint}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-4 pb-4 text-muted">No page, action, document or id matches.</p>}
    </dialog>
  )
}
