import { Suspense, useEffect, useState } from "react"
import { ApiError } from "../api/api-error.ts"
import { Button } from "./button.tsx"
import { CopyButton } from "./copy.tsx"
import { Icon } from "./icon.tsx"
import { lazyPart } from "./lazy-part.tsx"

const ProveAgain = lazyPart(() => import("./prove-again.tsx").then((module) => ({ default: module.ProveAgain })))

/** The seconds left of the `retryAfter` of `error`; 0 once a retry is allowed. */
export function useCountdown(error: unknown): number {
  const wait = error instanceof ApiError ? (error.retryAfter ?? 0) : 0
  const [left, setLeft] = useState(wait)
  useEffect(() => {
    const end = performance.now() + wait * 1000
    setLeft(wait)
    if (wait === 0 || !error) return
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((end - performance.now()) / 1000))
      setLeft(rest)
      if (rest === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [error, wait])
  return left
}

/** Shows an error with the API's message and the request id, which support asks for. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const left = useCountdown(error)
  const known = error instanceof ApiError ? error : null
  // Not a failure: the user must confirm their identity first.
  if (known?.code === "REAUTHENTICATION_REQUIRED") {
    return (
      <div role="alert" className="flex flex-col gap-3 rounded-md bg-panel p-4">
        <p className="min-w-0 break-words">{known.message}</p>
        <Suspense>
          <ProveAgain key={known.requestId} />
        </Suspense>
      </div>
    )
  }
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-bad-soft p-4 text-bad">
      <div className="flex items-start gap-2">
        <span className="flex h-5 items-center">
          <Icon name="error" />
        </span>
        <p className="min-w-0 break-words">{known?.message ?? "The page failed. Reload it."}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        {known && <code>{known.code}</code>}
        {known?.requestId && (
          <span className="inline-flex items-center gap-1">
            Request <code className="break-all">{known.requestId}</code>
            <CopyButton text={known.requestId} what="the request id" small />
          </span>
        )}
        {onRetry && (
          <Button onClick={onRetry} disabled={left > 0}>
            {left > 0 ? `Try again in ${left} s` : "Try again"}
          </Button>
        )}
      </div>
    </div>
  )
}
