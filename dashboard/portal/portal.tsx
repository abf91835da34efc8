/** @jsxImportSource preact */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { PortalOverview } from "../../src/portal/answers.ts"
import { hasEnded, openSession, type PortalApi } from "./api.ts"
import { Approvals } from "./approvals.tsx"
import { Facts } from "./facts.tsx"
import { frame, isFramed, tellParent } from "./frame.ts"
import { Limits } from "./limits.tsx"
import { say, type TextName } from "./texts.ts"
import { Turns } from "./turns.tsx"
import { Usage } from "./usage.tsx"
import { Failed, Loading } from "./values.tsx"
import { Wallet } from "./wallet.tsx"

type State = "loading" | "failed" | "ended" | PortalApi

/** The whole page: it opens the session, shows its parts, and says when it has ended. */
export function Portal() {
  const [state, setState] = useState<State>("loading")
  useEffect(() => {
    let timer = 0
    const end = () => {
      setState("ended")
      tellParent({ type: "turnpike.portal.expired" })
    }
    openSession(end).then(
      (api) => {
        timer = window.setTimeout(end, api.expires_in_seconds * 1000)
        setState(api)
      },
      // The code is spent even if its answer was lost, so only a new session helps.
      (error: unknown) => {
        if (hasEnded(error)) return end()
        setState("failed")
      },
    )
    return () => window.clearTimeout(timer)
  }, [])
  return (
    <>
      <header>
        {frame?.logo && <img src={frame.logo} alt="" height={24} />}
        <h1>{say("title")}</h1>
        {frame?.return_url && (
          <a href={frame.return_url} target="_top" rel="noreferrer">
            {say("backTo", new URL(frame.return_url).host)}
          </a>
        )}
      </header>
      <main>
        {state === "loading" && <Loading rows={6} />}
        {state === "ended" && <Over title="expired" />}
        {state === "failed" && (
          <Over title="pageFailed">
            {isFramed && (
              <button type="button" onClick={() => tellParent({ type: "turnpike.portal.expired" })}>
                {say("tryAgain")}
              </button>
            )}
          </Over>
        )}
        {typeof state === "object" && <Parts api={state} />}
      </main>
    </>
  )
}

const Over = ({ title, children }: { title: TextName; children?: ComponentChildren }) => (
  <div class="over" role="alert">
    <h2>{say(title)}</h2>
    <p class="muted">{say("openAgain")}</p>
    {children}
  </div>
)

/** How old the overview may be while the reader looks at the page. */
const FRESH_MS = 30_000

function Parts({ api }: { api: PortalApi }) {
  const [overview, setOverview] = useState<PortalOverview | null>(null)
  const [failed, setFailed] = useState(false)
  const [version, setVersion] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version reads the overview again
  useEffect(() => {
    let read = Date.now()
    setFailed(false)
    api.overview().then(setOverview, (error: unknown) => {
      if (!hasEnded(error)) setFailed(true)
    })
    const look = () => {
      if (document.visibilityState !== "visible" || Date.now() - read < FRESH_MS) return
      read = Date.now()
      setVersion((earlier) => earlier + 1)
    }
    const timer = window.setInterval(look, FRESH_MS)
    document.addEventListener("visibilitychange", look)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener("visibilitychange", look)
    }
  }, [version])
  const again = () => setVersion(version + 1)
  return (
    <>
      {overview === null && !failed && <Loading rows={6} />}
      {failed && <Failed what={overview ? "newestFigures" : "title"} onRetry={again} />}
      {overview?.approvals && <Approvals of={overview.approvals} api={api} onChange={again} />}
      {overview && (overview.wallet || overview.limits) && (
        <div class="columns">
          {overview.wallet && <Wallet of={overview.wallet} />}
          {overview.limits && <Limits of={overview.limits} />}
        </div>
      )}
      {overview?.profile && <Facts of={overview.profile} api={api} />}
      {overview?.usage && <Usage of={overview.usage} />}
      {api.scopes.includes("turns") && <Turns api={api} version={version} />}
    </>
  )
}
