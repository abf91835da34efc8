import type { ReactNode } from "react"
import { ApiError } from "../api/api-error.ts"
import { Icon } from "../ui/icon.tsx"

/** A sign-in that failed for good: what happened, what to do now, and the request id for support. */
export function FailedWay({
  title,
  error,
  children,
}: {
  title: string
  error?: unknown
  /** What to do now, with buttons. */
  children: ReactNode
}) {
  const known = error instanceof ApiError ? error : null
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-md border border-line bg-panel p-4">
      <h2 className="flex items-center gap-2">
        <Icon name="error" />
        {title}
      </h2>
      {children}
      {known && (
        <p className="break-all text-muted text-xs">
          <code>{known.code}</code>
          {known.requestId && (
            <>
              {" "}
              · request <code>{known.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  )
}
