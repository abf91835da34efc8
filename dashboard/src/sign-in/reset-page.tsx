import { useState } from "react"
import { useChange } from "../api/query.ts"
import { ResetPasswordRules } from "../api/rules.ts"
import { Button, buttonLook } from "../ui/button.tsx"
import { ErrorState, useCountdown } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { FailedWay } from "./failed-way.tsx"
import { PublicFrame } from "./frame.tsx"
import { useWays } from "./use-ways.ts"

/** Resets a password: sends a link by email, or sets the password with the token in the fragment. */
export function ResetPasswordPage() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "")
  return (
    <PublicFrame narrow>
      <title>New password · Turnpike</title>
      <div>
        <h1 className="text-lg">New password</h1>
        <p className="text-muted">
          {token
            ? "The link works once. All other sessions end."
            : "You get a link at the email address of your account."}
        </p>
      </div>
      {token ? <SetPassword token={token} /> : <AskForLink />}
      <ButtonLink to="/sign-in">Sign in another way</ButtonLink>
    </PublicFrame>
  )
}

function AskForLink() {
  const ways = useWays()
  if (!ways) return <Skeleton rows={3} />
  if (ways.password_reset) return <LinkForm />
  return (
    <p role="status">
      This service sends no emails. Ask an operator for a sign-in link or a new password, then sign in with it.
    </p>
  )
}

function LinkForm() {
  const [email, setEmail] = useState("")
  const ask = useChange("startPasswordReset", { changes: [] })
  const left = useCountdown(ask.error)
  if (ask.isSuccess) return <p role="status">If an account with this email exists, we have sent it a link.</p>
  return (
    <Form
      label="Request a link"
      onSubmit={() => ask.mutate({ body: { email } })}
      actions={
        <Button type="submit" kind="primary" busy={ask.isPending} disabled={email === "" || left > 0}>
          {left > 0 ? `Try again in ${left} s` : "Send the link"}
        </Button>
      }
    >
      <TextInput
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus
        value={email}
        error={ask.error}
        onChange={({ target }) => setEmail(target.value)}
      />
      {ask.error && <ErrorState error={ask.error} />}
    </Form>
  )
}

function SetPassword({ token }: { token: string }) {
  const [password, setPassword] = useState("")
  const reset = useChange("resetPassword", { changes: [] })
  if (reset.isSuccess) {
    return (
      <>
        <p role="status">The password is set. Sign in with it.</p>
        <ButtonLink kind="primary" to="/sign-in" autoFocus>
          Sign in
        </ButtonLink>
      </>
    )
  }
  if (reset.error?.code === "INVALID_TOKEN") {
    return (
      <FailedWay title="This link no longer works" error={reset.error}>
        <p>
          It was used before, it has expired, or the account's sessions were ended since. Your password is unchanged.
        </p>
        {/* A new document, because the token of this one is used up. */}
        <a href="/reset-password" className={`${buttonLook()} self-start`}>
          Request a new link
        </a>
      </FailedWay>
    )
  }
  return (
    <Form
      label="Set a new password"
      onSubmit={() => reset.mutate({ body: { token, new_password: password } })}
      actions={
        <Button type="submit" kind="primary" busy={reset.isPending} disabled={password === ""}>
          Set the password
        </Button>
      }
    >
      <TextInput
        label="New password"
        name="new_password"
        type="password"
        hint={`At least ${ResetPasswordRules.new_password.minLength} characters. Common passwords are rejected.`}
        autoComplete="new-password"
        autoFocus
        value={password}
        error={reset.error}
        onChange={({ target }) => setPassword(target.value)}
      />
      {reset.error && <ErrorState error={reset.error} />}
    </Form>
  )
}
