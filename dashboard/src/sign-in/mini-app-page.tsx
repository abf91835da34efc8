import { useEffect, useState } from "react"
import { useChange } from "../api/query.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { FactorForm } from "./factor-form.tsx"
import { FailedWay } from "./failed-way.tsx"
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
  const code = signIn.error?.code
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the launch data of the page
  useEffect(() => {
    if (launch) signIn.mutate({ body: { init_data: launch } }, { onSuccess: enter })
  }, [launch])
  return (
    <PublicFrame narrow>
      <title>Sign in · Turnpike</title>
      <h1 className="text-lg">Sign in</h1>
      {launch && !signIn.error && <Skeleton rows={3} />}
      {code === "SECOND_FACTOR_REQUIRED" ? (
        <FactorForm onEnter={enter} />
      ) : code === "INVALID_LAUNCH_DATA" || code === "BOT_NOT_SET_UP" || !launch ? (
        <FailedWay
          title={launch ? "The mini-app could not sign you in" : "Open this page in the app"}
          error={signIn.error}
        >
          <p>
            {code === "BOT_NOT_SET_UP"
              ? "The bot of this service is not set up. Sign in another way."
              : launch
                ? "Its data has expired or was used before. Close the mini-app, and open it again from the bot."
                : "The address has no launch data. Open the mini-app from your bot in the messaging app."}
          </p>
          <ButtonLink to="/sign-in" className="self-start">
            Sign in another way
          </ButtonLink>
        </FailedWay>
      ) : (
        signIn.error && <ErrorState error={signIn.error} />
      )}
    </PublicFrame>
  )
}
