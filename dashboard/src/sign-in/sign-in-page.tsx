import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { ApiError } from "../api/api-error.ts"
import { addressOf } from "../api/call.ts"
import { queryOf, useChange } from "../api/query.ts"
import { Button, buttonLook } from "../ui/button.tsx"
import { ErrorState, useCountdown } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { TextLink } from "../ui/link.tsx"
import { FactorForm } from "./factor-form.tsx"
import { PublicFrame } from "./frame.tsx"
import { Messenger } from "./messenger.tsx"
import { useEnter } from "./use-enter.ts"

export function SignInPage() {
  const { next, again } = useSearch({ from: "/sign-in" })
  const session = useQuery({ ...queryOf("getCurrentUser"), retry: false, staleTime: 0 })
  const enter = useEnter(next)
  const { data: user } = session
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the signed-in user is known
  useEffect(() => {
    if (user && !again) enter(user)
  }, [user])
  return (
    <PublicFrame narrow>
      <title>Sign in · Turnpike</title>
      <div>
        <h1 className="text-lg">Sign in</h1>
        <p className="text-muted">
          {again
            ? "Sign in again to confirm your identity. You then return to the page."
            : next
              ? "Your session has ended. Sign in to continue."
              : "Sign in to your account."}
        </p>
      </div>
      {wantsFactor(session.error) ? <FactorForm onEnter={enter} /> : <SignInPassword onEnter={enter} />}
      <div className="flex flex-col gap-2 border-line border-t pt-6">
        <a href={addressOf("startOauthLogin", { query: { next: next ?? "/home" } })} className={buttonLook()}>
          Continue with your identity provider
        </a>
        <Messenger onEnter={enter} />
      </div>
      <p className="text-muted text-xs">
        <TextLink to="/reset-password">Forgot your password?</TextLink> No password? The admin who created your account
        can send you a sign-in link. You can also send <code>/login</code> to the bot.
      </p>
    </PublicFrame>
  )
}

const wantsFactor = (error: unknown) => error instanceof ApiError && error.code === "SECOND_FACTOR_REQUIRED"

interface PasswordProps {
  onEnter: ReturnType<typeof useEnter>
  /** The email that the form begins with. */
  email?: string
}

/** The form for the email and the password, and then for the second factor. */
export function SignInPassword({ onEnter, email: known = "" }: PasswordProps) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState("")
  const login = useChange("login", { changes: [] })
  const left = useCountdown(login.error)
  if (wantsFactor(login.error)) return <FactorForm onEnter={onEnter} />
  return (
    <Form
      label="Sign in with a password"
      onSubmit={() => login.mutate({ body: { email, password } }, { onSuccess: onEnter })}
      actions={
        <Button type="submit" kind="primary" className="w-full" busy={login.isPending} disabled={left > 0}>
          {left > 0 ? `Try again in ${left} s` : "Sign in"}
        </Button>
      }
    >
      <TextInput
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        autoFocus={known === ""}
        value={email}
        error={login.error}
        onChange={({ target }) => setEmail(target.value)}
      />
      <TextInput
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus={known !== ""}
        value={password}
        error={login.error}
        onChange={({ target }) => setPassword(target.value)}
      />
      {login.error && <ErrorState error={login.error} />}
    </Form>
  )
}
