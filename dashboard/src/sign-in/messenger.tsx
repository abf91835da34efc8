import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { queryOf, useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { OutLink } from "../ui/link.tsx"
import { FailedWay } from "./failed-way.tsx"
import { QrCode } from "./qr-code.tsx"
import type { useEnter } from "./use-enter.ts"

const POLL_MS = 2000

/** Signs in with the brand's bot: shows a link and its QR code, and polls until the user confirms in the bot. */
export function Messenger({ onEnter }: { onEnter: ReturnType<typeof useEnter> }) {
  const start = useChange("startWebLogin", { changes: [] })
  const token = start.data?.token ?? ""
  const login = useQuery({
    ...queryOf("getWebLogin", { query: { token } }),
    enabled: token !== "",
    retry: false,
    refetchInterval: ({ state }) => (state.error || state.data?.status !== "pending" ? false : POLL_MS),
    refetchIntervalInBackground: true,
  })
  const { data: answer } = login
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the sign-in is confirmed
  useEffect(() => {
    if (answer?.user) onEnter(answer.user)
  }, [answer])
  const begin = () => start.mutate(undefined)
  if (start.error) return <ErrorState error={start.error} onRetry={begin} />
  if (!start.data) {
    return (
      <Button busy={start.isPending} onClick={begin}>
        Continue with the messaging app
      </Button>
    )
  }
  if (login.error || answer?.status === "denied") {
    const isDenied = answer?.status === "denied"
    return (
      <FailedWay
        title={isDenied ? "The sign-in was denied in the bot" : "This sign-in has expired"}
        error={login.error}
      >
        <p>
          {isDenied
            ? "The bot has a button that denies a sign-in, and it was pressed. Start again only if you started this one."
            : "It was not confirmed in time, or another page of this browser started a new one."}
        </p>
        <Button onClick={begin} className="self-start">
          Start again
        </Button>
      </FailedWay>
    )
  }
  return (
    <div role="status" className="flex flex-col items-center gap-3 rounded-md border border-line p-4">
      <QrCode text={start.data.url} />
      <OutLink href={start.data.url} newTab>
        Open the bot on this device
      </OutLink>
      <p className="text-center text-muted">Start the bot to confirm. This page continues automatically.</p>
    </div>
  )
}
