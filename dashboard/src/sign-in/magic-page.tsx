import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { FactorForm } from "./factor-form.tsx"
import { FailedWay } from "./failed-way.tsx"
import { PublicFrame } from "./frame.tsx"
import { useEnter } from "./use-enter.ts"

/** The token is in the fragment, which no server sees. Only the button uses it up, so link previews do not. */
export function MagicPage() {
  const { next } = useSearch({ from: "/magic" })
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "")
  const exchange = useChange("exchangeToken", { changes: [] })
  const enter = useEnter(next)
  const code = exchange.error?.code
  return (
    <PublicFrame narrow>
      <title>Sign in · Turnpike</title>
      <div>
        <h1 className="text-lg">Sign in with this link</h1>
        <p className="text-muted">The link works once and expires soon.</p>
      </div>
      {code === "SECOND_FACTOR_REQUIRED" ? (
        <FactorForm onEnter={enter} />
      ) : !token || code === "INVALID_TOKEN" ? (
        <FailedWay title={token ? "This link no longer works" : "This link is not complete"} error={exchange.error}>
          <p>
            {token
              ? "It was used before, or it has expired. Ask for a new link where you got this one."
              : "The address has no token. Copy the complete link into the address bar."}
          </p>
          <ButtonLink to="/sign-in" className="self-start">
            Sign in another way
          </ButtonLink>
        </FailedWay>
      ) : (
        <>
          <Button
            kind="primary"
            autoFocus
            busy={exchange.isPending}
            onClick={() => exchange.mutate({ body: { token } }, { onSuccess: enter })}
          >
            Sign in
          </Button>
          {exchange.error && <ErrorState error={exchange.error} />}
        </>
      )}
    </PublicFrame>
  )
}
