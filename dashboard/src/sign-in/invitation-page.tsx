import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { call, needsSignIn } from "../api/call.ts"
import type { OpenedInvitation } from "../api/operations.ts"
import { chooseAccount, setPageUser } from "../api/page-user.ts"
import { queryOf, useChange } from "../api/query.ts"
import { readTab, writeTab } from "../api/tab-store.ts"
import { Button } from "../ui/button.tsx"
import { dropDrafts } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { ROLE_WORDS } from "../ui/rights.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { Time } from "../ui/values.tsx"
import { titleOf } from "./account-list.tsx"
import { FailedWay } from "./failed-way.tsx"
import { PublicFrame } from "./frame.tsx"
import { useEnter } from "./use-enter.ts"

const KEPT = "invitation"

/** The token is in the fragment, which no server sees. The tab keeps it while the person signs in. */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? readTab(KEPT) ?? ""
  writeTab(KEPT, token || null)
  return token
}

/** Accepts an invitation to an account, as a signed-in user or as a new one. */
export function InvitationPage() {
  const [token] = useState(takeToken)
  const invitation = useQuery({
    ...queryOf("readInvitation", { body: { token } }),
    enabled: token !== "",
    retry: false,
  })
  return (
    <PublicFrame narrow>
      <title>Invitation · Turnpike</title>
      <h1 className="text-lg">Invitation</h1>
      {token === "" || invitation.error?.code === "INVALID_TOKEN" ? (
        <FailedWay title="This link opens no invitation" error={invitation.error}>
          <p>It was used, revoked or replaced, or it has expired. Ask for a new invitation.</p>
          <ButtonLink to="/sign-in" className="self-start">
            Sign in
          </ButtonLink>
        </FailedWay>
      ) : invitation.error ? (
        <ErrorState error={invitation.error} />
      ) : invitation.data ? (
        <Opened token={token} invitation={invitation.data} />
      ) : (
        <Skeleton rows={3} />
      )}
    </PublicFrame>
  )
}

function Opened({ token, invitation }: { token: string; invitation: OpenedInvitation }) {
  const { account, email, role, invited_by, new_user, expires_at } = invitation
  return (
    <>
      <p>
        {invited_by ?? "An owner"} invites <b className="break-words">{email}</b> to the account{" "}
        <b>{account ?? "without a title"}</b>, with the role <b>{ROLE_WORDS[role]}</b>. The invitation expires{" "}
        <Time at={expires_at} />.
      </p>
      {new_user ? <JoinForm token={token} /> : <Accept token={token} invitation={invitation} />}
    </>
  )
}

function JoinForm({ token }: { token: string }) {
  const [input, setInput] = useState({ name: "", password: "" })
  const enter = useEnter("/home")
  const join = useChange("joinAsNewUser", { changes: [] })
  const done: typeof enter = async (user) => {
    writeTab(KEPT, null)
    setPageUser(user)
    // A new user belongs to no other account.
    const { items } = await call("listMemberships")
    dropDrafts()
    chooseAccount(user, items.find(({ own }) => !own) ?? null)
    enter(user)
  }
  return (
    <Form
      label="Join as a new user"
      onSubmit={() =>
        join.mutate({ body: { token, name: input.name || null, password: input.password } }, { onSuccess: done })
      }
      actions={
        <Button type="submit" kind="primary" busy={join.isPending}>
          Create your sign-in and join
        </Button>
      }
    >
      <TextInput
        label="Name"
        name="name"
        autoComplete="name"
        value={input.name}
        error={join.error}
        onChange={({ target }) => setInput({ ...input, name: target.value })}
      />
      <TextInput
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        value={input.password}
        error={join.error}
        onChange={({ target }) => setInput({ ...input, password: target.value })}
      />
      {join.error && <ErrorState error={join.error} />}
    </Form>
  )
}

function Accept({ token, invitation }: { token: string; invitation: OpenedInvitation }) {
  const user = useQuery({ ...queryOf("getCurrentUser"), retry: false })
  const enter = useEnter("/home")
  const accept = useChange("acceptInvitation", { changes: [] })
  if (user.isPending) return <Skeleton rows={1} />
  const signedIn = user.data
  if (!signedIn) {
    if (user.error && !needsSignIn(user.error)) return <ErrorState error={user.error} />
    return (
      <>
        <p className="text-muted">Sign in with this email to accept. You return to this page.</p>
        <ButtonLink kind="primary" to="/sign-in" search={{ next: "/invitation" }} className="self-start">
          Sign in to accept
        </ButtonLink>
      </>
    )
  }
  const isOther = signedIn.email?.toLowerCase() !== invitation.email.toLowerCase()
  const signIn: ReactNode = (
    <ButtonLink
      kind={isOther ? "primary" : "plain"}
      to="/sign-in"
      search={{ next: "/invitation", again: true }}
      className="self-start"
    >
      Sign in as another user
    </ButtonLink>
  )
  if (isOther) {
    return (
      <>
        <p role="alert">
          You are signed in as {titleOf(signedIn)}, who has another email. Only {invitation.email} can accept.
        </p>
        {signIn}
      </>
    )
  }
  return (
    <>
      <Button
        kind="primary"
        className="self-start"
        busy={accept.isPending}
        onClick={() => {
          setPageUser(signedIn)
          accept.mutate(
            { body: { token } },
            {
              onSuccess: ({ user_id }) => {
                writeTab(KEPT, null)
                // They belong to the account that the tab showed before.
                dropDrafts()
                chooseAccount(signedIn, { user_id, name: invitation.account })
                enter(signedIn)
              },
            },
          )
        }}
      >
        Accept as {titleOf(signedIn)}
      </Button>
      {accept.error && <ErrorState error={accept.error} />}
      {signIn}
    </>
  )
}
