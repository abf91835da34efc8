import { useState } from "react"
import { wordsOf } from "../api/code-words.ts"
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
                ["Health", data.health ? wordsOf(data.health) : "not logged in yet"],
                ["Access token expires", <Time key="ends" at={data.expires_at} />],
                ["Refresh in progress", data.locked ? "yes" : "no"],
              ]}
            />
            <Section title={data.status === "logged_in" ? "Log in again" : "Log in"}>
              <MediaLogin media={data} />
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}

/** Only one login runs at a time. The admin who started it gets the same URL again. */
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
          title: "Start the login",
          content: (
            <div className="flex flex-col items-start gap-3">
              {media.login && (
                <p className="text-muted">
                  {media.login.started_by.name ?? `User ${media.login.started_by.user_id}`} started a login, which
                  expires <Time at={media.login.expires_at} />.
                </p>
              )}
              {start.error && <ErrorState error={start.error} />}
              <Button kind="primary" busy={start.isPending} onClick={() => start.mutate(undefined)}>
                Start login
              </Button>
            </div>
          ),
        },
        {
          title: "Log in at the provider, and paste the URL that it redirects to",
          content: start.data && (
            <Form
              label="Paste the URL"
              onSubmit={() => complete.mutate({ body: { callback_url: url } })}
              actions={
                <Button kind="primary" type="submit" busy={complete.isPending} disabled={url === ""}>
                  Finish login
                </Button>
              }
            >
              <p>
                <OutLink href={start.data.authorization_url} newTab>
                  Open the provider&apos;s page
                </OutLink>{" "}
                <CopyButton text={start.data.authorization_url} what="the URL of the provider's page" />
              </p>
              <TextInput
                label="URL"
                name="callback_url"
                hint="The full URL on your own machine, even if the page did not open."
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
              token expires <Time at={complete.data.expires_at} />.
            </p>
          ),
        },
      ]}
    />
  )
}
