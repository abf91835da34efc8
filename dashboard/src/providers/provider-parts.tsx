import { wordsOf } from "../api/code-words.ts"
import type { Provider } from "../api/operations.ts"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

type Tone = "ok" | "warn" | "bad" | "none"

const TONES: Record<Provider["state"], Tone> = {
  usable: "ok",
  cooling: "warn",
  suspended: "bad",
  needs_login: "bad",
  contained: "bad",
  disabled: "none",
}

/** The state of an account, with its reason, the time of the next attempt, and whether its pool depends on it. */
export function ProviderState({ provider }: { provider: Provider }) {
  const { state, cool_until, cool_reason, disabled_reason, suspended_reason } = provider
  const reasons = { disabled: disabled_reason, cooling: cool_reason, suspended: suspended_reason } as const
  const why = state in reasons ? reasons[state as keyof typeof reasons] : null
  const isTriedAgain = state === "cooling" || state === "suspended"
  return (
    <span className="inline-flex flex-col items-start">
      <Status word={state} tone={TONES[state]} />
      {(why || (isTriedAgain && cool_until)) && (
        <span className="text-muted text-xs">
          {why && wordsOf(why)} {isTriedAgain && cool_until && <Time at={cool_until} />}
        </span>
      )}
      {provider.last_healthy && <span className="text-muted text-xs">last healthy account of its pool</span>}
    </span>
  )
}

/** Formats the length of a window: 5 h, 7 d. */
export function windowName(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** The use of each limit and its reset time. The bar repeats the percentage, so screen readers skip it. */
export function Windows({ windows }: Pick<Provider, "windows">) {
  if (windows.length === 0) return <span className="text-muted">not reported yet</span>
  return (
    <ul className="flex min-w-[200px] flex-col gap-1">
      {windows.map(({ resource, window_seconds, used_pct, reset_at }) => (
        <li key={`${resource} ${window_seconds}`} className="flex items-center gap-2 text-xs whitespace-nowrap">
          <span className="w-16">
            {windowName(window_seconds)}
            {resource !== "unified" && <span className="text-muted"> {resource}</span>}
          </span>
          <span aria-hidden="true" className="h-1.5 w-20 rounded-full bg-hover">
            <span
              className={`block h-full rounded-full ${used_pct !== null && used_pct >= 90 ? "bg-bad" : "bg-accent"}`}
              style={{ width: `${Math.min(100, used_pct ?? 0)}%` }}
            />
          </span>
          <span className="w-12 text-right">{used_pct === null ? "unknown" : `${Math.round(used_pct)} %`}</span>
          {reset_at && (
            <span className="text-muted">
              resets <Time at={reset_at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

export const KINDS: Record<Provider["kind"], string> = {
  api_key: "API key",
  oauth_code: "Login with a code",
  oauth_device: "Login with a device",
}
