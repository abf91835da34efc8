import { useQueryClient } from "@tanstack/react-query"
import { useLocation, useNavigate, useRouteContext, useRouter, useSearch } from "@tanstack/react-router"
import { type RefObject, Suspense, useEffect, useRef, useState } from "react"
import { call, isRoleRequired, needsSignIn } from "../api/call.ts"
import { followTabs, setPageAccount, tellTabs, useBarred } from "../api/page-user.ts"
import { useRead } from "../api/query.ts"
import { setSessionOver, useSessionOver } from "../api/session-over.ts"
import { Logo } from "../shell/logo.tsx"
import { ThemeToggle } from "../shell/theme.tsx"
import { ZoneToggle } from "../shell/zone-toggle.tsx"
import { Button, IconButton } from "../ui/button.tsx"
import { dropDrafts, hasUnsaved } from "../ui/draft.ts"
import { Icon } from "../ui/icon.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { RightsContext } from "../ui/rights.ts"
import { useUnsavedSecrets } from "../ui/secret-host.tsx"
import { toast } from "../ui/toast.tsx"
import { TopDialog } from "../ui/top-dialog.tsx"
import { singleKey, useSingleKeys } from "../ui/use-row-keys.ts"
import { AccountSwitch } from "./account-switch.tsx"
import { isOperators } from "./all-pages.ts"
import { AllowedPage } from "./allowed-page.tsx"
import { BarredDialog } from "./barred-dialog.tsx"
import { LeaveGuard } from "./leave-guard.tsx"
import { Navigation } from "./navigation.tsx"
import { OfflineBar } from "./offline-bar.tsx"
import { TestFrame } from "./test-frame.tsx"

const Palette = lazyPart(() => import("./palette.tsx").then(({ Palette }) => ({ default: Palette })))
const KeysDialog = lazyPart(() => import("./keys-dialog.tsx").then(({ KeysDialog }) => ({ default: KeysDialog })))
const SignInAgain = lazyPart(() => import("./sign-in-again.tsx").then((module) => ({ default: module.SignInAgain })))

/** The frame of every page that needs a session. */
export function Layout() {
  const [palette, setPalette] = useState(false)
  const [keys, setKeys] = useState(false)
  const isOver = useSessionOver()
  const barred = useBarred()
  const { data: me = null } = useRead("getMe")
  useTabs()
  // A value that is shown only once is saved first.
  const isSaved = useUnsavedSecrets().length === 0
  const drawer = useRef<HTMLDialogElement>(null)
  const content = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    if (pathname) drawer.current?.close()
  }, [pathname])
  useFocusOnNewPage(content)
  const openPalette = () => {
    drawer.current?.close()
    setPalette(true)
  }
  const openKeys = () => {
    drawer.current?.close()
    setKeys(true)
  }
  useFrameKeys({ onSearch: openPalette, onKeys: openKeys })
  return (
    <RightsContext value={me}>
      <div className="min-h-dvh lg:grid lg:grid-cols-[220px_minmax(0,1fr)]">
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <aside className="sticky top-0 hidden h-dvh flex-col border-line border-r bg-panel lg:flex">
          <SideBar onSearch={openPalette} onKeys={openKeys} />
        </aside>
        <dialog
          ref={drawer}
          aria-label="Navigation"
          className="m-0 h-dvh max-h-none w-[272px] max-w-[85vw] flex-col border-line border-r bg-panel p-0 text-text backdrop:bg-[rgb(0_0_0/0.4)] open:flex"
        >
          <SideBar onSearch={openPalette} onKeys={openKeys} />
        </dialog>
        <div className="min-w-0">
          <header className="sticky top-0 z-20 flex h-12 print:hidden items-center gap-2 border-line border-b bg-bg px-2 lg:hidden">
            <IconButton label="Open the navigation" icon="menu" onClick={() => drawer.current?.showModal()} />
            <AccountSwitch className="min-w-0 grow" />
            <IconButton label="Search" icon="search" onClick={openPalette} />
          </header>
          <OfflineBar />
          <TestFrame />
          <ActingBanner />
          <main
            ref={content}
            id="content"
            tabIndex={-1}
            className="mx-auto max-w-[1600px] px-4 py-5 outline-none sm:px-6"
          >
            <AllowedPage />
          </main>
        </div>
        <Suspense>
          {palette && <Palette onClose={() => setPalette(false)} />}
          {keys && <KeysDialog onClose={() => setKeys(false)} />}
        </Suspense>
        <LeaveGuard />
        <Suspense>{isOver && !barred && isSaved && <SignInAgain />}</Suspense>
        {barred && isSaved && <BarredDialog of={barred} />}
      </div>
    </RightsContext>
  )
}

/** The keys that work on every page. */
function useFrameKeys({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const isSingle = useSingleKeys()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) onSearch()
      else if (isSingle && singleKey(event) === "?") onKeys()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  })
}

/** Tells the other tabs for whom this page was made, and follows what they tell. */
function useTabs() {
  const { user } = useRouteContext({ from: "/app" })
  const client = useQueryClient()
  const { data: me, error } = useRead("getMe")
  const account = me?.user
  const acting = me?.acting_admin != null
  useEffect(() => {
    if (!account) return
    setPageAccount(account, { acting })
    tellTabs({ user, account, acting })
  }, [user, account, acting])
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const hasLeft = isRoleRequired(error) && pathname !== "/account" && !isOperators(pathname)
  useEffect(() => {
    // The person has left the own account. Their own sign-in is still on its page.
    if (hasLeft) void navigate({ to: "/accounts" })
  }, [hasLeft, navigate])
  useEffect(
    () =>
      followTabs({
        onOut: () => setSessionOver(true),
        onBack: () => {
          setSessionOver(false)
          void client.invalidateQueries()
        },
      }),
    [client],
  )
}

/** Focuses the content of a new page, so that the next Tab moves into it, unless the page set the focus itself. */
function useFocusOnNewPage(content: RefObject<HTMLElement | null>) {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe("onRendered", ({ pathChanged }) => {
        if (pathChanged && !content.current?.contains(document.activeElement)) {
          content.current?.focus({ preventScroll: true })
        }
      }),
    [router, content],
  )
}

function SideBar({ onSearch, onKeys }: { onSearch: () => void; onKeys: () => void }) {
  const { user } = useRouteContext({ from: "/app" })
  const { pathname } = useLocation()
  return (
    <>
      <div className="flex h-12 shrink-0 items-center gap-2 px-4">
        <Logo />
        <b>Turnpike</b>
      </div>
      <AccountSwitch className="mx-3 mb-2 border border-line bg-bg" />
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 mb-2 flex h-8 items-center gap-2 rounded-md border border-line bg-bg px-2 text-muted hover:border-edge"
      >
        <Icon name="search" />
        <span className="grow text-left">Search</span>
        <kbd className="font-sans text-xs">Ctrl K</kbd>
      </button>
      <Navigation admin={user.role === "admin"} />
      <div className="flex shrink-0 flex-col gap-1 border-line border-t p-3">
        <a
          href={user.role === "admin" && isOperators(pathname) ? "/api/docs" : "/docs"}
          className="flex h-7 items-center rounded-md px-1 text-muted hover:bg-hover hover:text-text"
        >
          API reference
        </a>
        <TestData />
        <div className="flex items-center gap-1">
          <span className="min-w-0 grow truncate px-1 text-muted" title={user.email ?? undefined}>
            {user.name ?? user.email ?? `User ${user.user_id}`}
          </span>
          <IconButton label="Show the keys" icon="help" onClick={onKeys} />
          <ZoneToggle />
          <ThemeToggle />
          <SignOut />
        </div>
      </div>
    </>
  )
}

function TestData() {
  const { test } = useSearch({ from: "/app" })
  const navigate = useNavigate()
  const show = (test: true | undefined) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({ ...old, offset: undefined, cursor: undefined, test })) as never,
    })
  return (
    <label className="flex h-7 items-center gap-2 px-1 text-muted">
      <input
        type="checkbox"
        className="accent-accent"
        checked={test === true}
        onChange={({ target }) => show(target.checked || undefined)}
      />
      Test data
    </label>
  )
}

function SignOut() {
  const [asking, setAsking] = useState(false)
  const leave = async () => {
    try {
      await call("logout")
    } catch (error) {
      // Without an answer, the session may still be valid.
      if (!needsSignIn(error)) return toast(`You are still signed in. ${(error as Error).message}`, { bad: true })
    }
    dropDrafts()
    tellTabs(null)
    // A full page load discards all data of the account in memory.
    location.assign("/")
  }
  return (
    <>
      <IconButton label="Sign out" icon="out" onClick={() => (hasUnsaved() ? setAsking(true) : void leave())} />
      {asking && (
        <TopDialog
          title="Sign out without saving?"
          about="What you typed is discarded."
          onCancel={() => setAsking(false)}
        >
          <div className="flex justify-end gap-2">
            <Button autoFocus onClick={() => setAsking(false)}>
              Stay
            </Button>
            <Button kind="danger" onClick={() => void leave()}>
              Sign out
            </Button>
          </div>
        </TopDialog>
      )}
    </>
  )
}

/** Shown while an admin views another user's account. */
function ActingBanner() {
  const me = useRead("getMe")
  const queryClient = useQueryClient()
  if (!me.data?.acting_admin) return null
  const { user } = me.data
  const stop = async () => {
    await call("endActing", { path: { user_id: user.user_id } }).catch(() => null)
    queryClient.clear()
    location.assign(`/operator/users/${user.user_id}`)
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 bg-warn-soft px-4 py-2 text-warn sm:px-6">
      <span className="grow">
        You are viewing the account of <b>{user.name ?? user.email ?? `user ${user.user_id}`}</b>. You cannot change it.
      </span>
      <Button onClick={() => void stop()}>Stop viewing</Button>
    </div>
  )
}
