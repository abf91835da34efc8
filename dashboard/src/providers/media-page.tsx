import { useState } from "react"
import type { MediaStatus } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { OutLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"
import { providersPages } from "./pages.ts"
import { Steps } from "./steps.tsx"

export function ProviderMediaPage() {
  const media = useRead("getMediaLogin")
  return (
    <Page {...providersPages.media}>
      <Read of={media}>
        {(data) => (
          <>
            <KeyValues
              entries={[
                [
                  "Login",
                  <Status
                    key="login"
                    word={data.status}
                    tone={data.status === "logged_in" && data.health === "healthy" ? "ok" : "warn"}
                  />,
                ],
                ["Account", data.account ?? "–"],
                ["Health", data.health?.replaceAll("_", " ") ?? "nobody has logged in yet"],
                ["Access token ends", <Time key="ends" at={data.expires_at} />],
                ["Refreshed at the moment", data.locked ? "yes" : "no"],
              ]}
            />
            <Section title={data.status === "logged_in" ? "Log in anew" : "Log in"}>
              <MediaLogin media={data} />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}

/** One login at a time. Whoever began it gets the same address again. */
function MediaLogin({ media }: { media: MediaStatus }) {
  const start = useChange("startMediaLogin")
  const complete = useChange("completeMediaLogin")
  const [url, setUrl] = useState("")
  const at = complete.data ? 2 : start.data ? 1 : 0
  return (
    <Steps
      at={at}
      steps={[
        {
          title: "Begin the login",
          content: (
            <div className="flex flex-col items-start gap-3">
              {media.login && (
                <p className="text-muted">
                  {media.login.started_by.name ?? `User ${media.login.started_by.user_id}`} has begun one, which ends{" "}
                  <Time at={media.login.expires_at} />.
                </p>
              )}
              {start.error && <ErrorState error={start.error} />}
              <Button kind="primary" busy={start.isPending} onClick={() => start.mutate(undefined)}>
                Begin the login
              </Button>
            </div>
          ),
        },
        {
          title: "Log in at the provider, and paste the address it leads to",
          content: start.data && (
            <Form
              label="Paste the address"
              onSubmit={() => complete.mutate({ body: { callback_url: url } })}
              actions={
                <Button kind="primary" type="submit" busy={complete.isPending} disabled={url === ""}>
                  Finish the login
                </Button>
              }
            >
              <p>
                <OutLink href={start.data.authorization_url} newTab>
                  Open the provider&apos;s page
                </OutLink>{" "}
                <CopyButton text={start.data.authorization_url} what="the address of the provider's page" />
              </p>
              <TextInput
                label="Address"
                name="callback_url"
                hint="The whole address on your own machine that it led to, also when the page did not open."
                error={complete.error}
                value={url}
                autoComplete="off"
                onChange={({ target }) => setUrl(target.value)}
              />
              {complete.error && <ErrorState error={complete.error} />}
            </Form>
          ),
        },
        {
          title: "Done",
          content: complete.data && (
            <p role="status">
              <Status word="logged in" tone="ok" /> {complete.data.account ?? "The account"} makes pictures; its access
              token ends <Time at={complete.data.expires_at} />.
            </p>
          ),
        },
      ]}
    />
  )
}
