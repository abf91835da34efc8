import { useQuery } from "@tanstack/react-query"
import { wordsOf } from "../api/code-words.ts"
import { queryOf, useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { ButtonLink, OutLink } from "../ui/link.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"
import { Steps } from "./steps.tsx"

const LOOK_MS = 2000

/** The device flow: the user enters a code at the provider. It continues after this page is closed. */
export function DeviceLogin() {
  const start = useChange("startDeviceLogin")
  const login = useQuery({
    ...queryOf("getDeviceLogin"),
    refetchInterval: ({ state }) => (state.data?.status === "polling" ? LOOK_MS : false),
  })
  const begin = (words: string) => (
    <Button kind="primary" busy={start.isPending} onClick={() => start.mutate(undefined)}>
      {words}
    </Button>
  )
  return (
    <Read of={login}>
      {(data) => (
        <Steps
          at={data.status === "polling" ? 1 : data.status === "authorized" ? 2 : 0}
          steps={[
            {
              title: "Start the login",
              content: (
                <div className="flex flex-col items-start gap-3">
                  <p className="text-muted">
                    You get a code to enter at the provider. If the account exists, its credential is renewed and its
                    history stays.
                  </p>
                  {(data.status === "expired" || data.status === "error") && (
                    <p role="status">
                      <Status word={data.status} tone="bad" /> The last login failed:{" "}
                      {wordsOf(data.error ?? data.status)}.
                    </p>
                  )}
                  {start.error && <ErrorState error={start.error} />}
                  {begin("Start login")}
                </div>
              ),
            },
            {
              title: "Enter the code at the provider",
              content: (
                <div className="flex flex-col items-start gap-3">
                  <p className="flex items-center gap-2 text-lg">
                    <code>{data.user_code}</code>
                    <CopyButton text={data.user_code ?? ""} what="the code" />
                  </p>
                  {data.verification_url && (
                    <p>
                      <OutLink href={data.verification_url_complete ?? data.verification_url} newTab>
                        Open the provider&apos;s page
                      </OutLink>{" "}
                      <span className="text-muted">{data.verification_url}</span>
                    </p>
                  )}
                  <p role="status" className="text-muted">
                    <Status word="waiting" tone="info" /> Waiting for the provider until <Time at={data.expires_at} />.
                    You can close this page.
                  </p>
                  {begin("Start another login")}
                </div>
              ),
            },
            {
              title: "Done",
              content: (
                <div className="flex flex-col items-start gap-3">
                  <p role="status">
                    <Status word="authorized" tone="ok" /> <code>{data.provider_id}</code> is in the alt-pool.
                  </p>
                  <div className="flex flex-wrap gap-2">
                    <ButtonLink to="/operator/providers">View pools</ButtonLink>
                    {begin("Start another login")}
                  </div>
                </div>
              ),
            },
          ]}
        />
      )}
    </Read>
  )
}
