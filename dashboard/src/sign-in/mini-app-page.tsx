import { useEffect, useState } from "react"
import { useChange } from "../api/query.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { FactorForm } from "./factor-form.tsx"
import { PublicFrame } from "./frame.tsx"
import { useEnter } from "./use-enter.ts"

/**
 * The page that the messaging platform opens as a brand's mini-app. The launch data is in the fragment,
 * which no server sees.
 */
export function MiniAppPage() {
  const [launch] = useState(() => new URLSearchParams(location.hash.slice(1)).get("tgWebAppData") ?? "")
  const signIn = useChange("signInMessengerWebApp", { changes: [] })
  const enter = useEnter(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the launch data of the page
  useEffect(() => {
    if (launch) signIn.mutate({ body: { init_data: launch } }, { onSuccess: enter })
  }, [launch])
  return (
    <PublicFrame narrow>
      <title>Sign in · Turnpike</title>
      <h1 className="text-lg">Sign in</h1>
      {!launch && <p>The address has no launch data. Open this page as the mini-app of your bot.</p>}
      {launch && !signIn.error && <Skeleton rows={3} />}
      {signIn.error?.code === "SECOND_FACTOR_REQUIRED" ? (
        <FactorForm onEnter={enter} />
      ) : (
        signIn.error && <ErrorState error={signIn.error} />
      )}
    </PublicFrame>
  )
}
