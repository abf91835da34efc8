import { useState } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { ButtonLink, OutLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"
import { Steps } from "./steps.tsx"

/** The authorisation code flow: name the account, log in at the provider, paste the code, add the account. */
export function CodeLogin({ taken }: { taken: string[] }) {
  const start = useChange("startProviderLogin", { changes: [] })
  const submit = useChange("submitProviderCode", { changes: [] })
  const add = useChange("addProvider")
  const [name, setName] = useState("")
  const [code, setCode] = useState("")
  const at = add.data ? 3 : submit.data ? 2 : start.data ? 1 : 0
  const again = () => {
    for (const step of [start, submit, add]) step.reset()
    setCode("")
  }
  const body = { name, pool: "main" as const, kind: "oauth" as const }
  return (
    <Steps
      at={at}
      steps={[
        {
          title: "Name the account",
          content: (
            <Form
              label="Name the account"
              onSubmit={() => start.mutate({ body })}
              actions={
                <Button kind="primary" type="submit" busy={start.isPending} disabled={name === ""}>
                  Start login
                </Button>
              }
            >
              <TextInput
                label="Name"
                name="name"
                hint={
                  taken.includes(name)
                    ? "An account with this name exists. A login to it renews its credential."
                    : "The name that admins see."
                }
                error={start.error}
                value={name}
                autoComplete="off"
                onChange={({ target }) => setName(target.value)}
              />
              {start.error && <ErrorState error={start.error} />}
            </Form>
          ),
        },
        {
          title: "Log in at the provider, and paste the code",
          content: start.data && (
            <Form
              label="Paste the code"
              onSubmit={() => submit.mutate({ body: { code } })}
              actions={
                <>
                  <Button kind="primary" type="submit" busy={submit.isPending} disabled={code === ""}>
                    Submit code
                  </Button>
                  <Button onClick={again}>Start over</Button>
                </>
              }
            >
              <p>
                <OutLink href={start.data.authorization_url} newTab>
                  Open the provider&apos;s page
                </OutLink>{" "}
                <CopyButton text={start.data.authorization_url} what="the URL of the provider's page" /> The link
                expires <Time at={start.data.expires_at} />.
              </p>
              <TextInput
                label="Code"
                name="code"
                hint="code#state, only the code, or the full URL"
                error={submit.error}
                value={code}
                autoComplete="off"
                onChange={({ target }) => setCode(target.value)}
              />
              {submit.error && <ErrorState error={submit.error} />}
            </Form>
          ),
        },
        {
          title: "Add the account",
          content: submit.data && (
            <Form
              label="Add the account"
              onSubmit={() => add.mutate({ body })}
              actions={
                <>
                  <Button kind="primary" type="submit" busy={add.isPending}>
                    Add {submit.data.label}
                  </Button>
                  <Button onClick={again}>Start over</Button>
                </>
              }
            >
              <p>
                You are logged in as <strong>{submit.data.label}</strong> ({submit.data.external_id}).
              </p>
              {add.error && <ErrorState error={add.error} />}
            </Form>
          ),
        },
        {
          title: "Done",
          content: add.data && (
            <div className="flex flex-col items-start gap-3">
              <p>
                <Status word="added" tone="ok" /> {add.data.name} is in the main pool.
              </p>
              <ButtonLink to="/operator/providers">View pools</ButtonLink>
            </div>
          ),
        },
      ]}
    />
  )
}
