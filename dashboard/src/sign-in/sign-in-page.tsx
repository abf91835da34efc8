import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { ApiError } from "../api/api-error.ts"
import { addressOf } from "../api/call.ts"
import type { SignInWays } from "../api/operations.ts"
import { queryOf, useChange } from "../api/query.ts"
import { Button, buttonLook } from "../ui/button.tsx"
import { ErrorState, useCountdown } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { TextLink } from "../ui/link.tsx"
import { FactorForm } from "./factor-form.tsx"
import { PublicFrame } from "./frame.tsx"
import { Messenger } from "./messenger.tsx"
import { useEnter } from "./use-enter.ts"
import { accountWords, useWays } from "./use-ways.ts"

export function SignInPage() {
  const { next, again } = useSearch({ from: "/sign-in" })
  const ways = useWays()
  const isOpen = ways?.session === "open"
  const session = useQuery({ ...queryOf("getCurrentUser"), enabled: isOpen && !again, retry: false, staleTime: 0 })
  const enter = useEnter(next)
  const { data: user } = session
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the signed-in user is known
  useEffect(() => {
    if (user && isOpen && !again) enter(user)
  }, [user, isOpen])
  return (
    <PublicFrame narrow>
      <title>Sign in · Turnpike</title>
      <div>
        <h1 className="text-lg">Sign in</h1>
        <p className="min-h-5 text-muted">{ways && reasonOf(ways, { next, again })}</p>
      </div>
      {ways?.session === "second_factor" ? <FactorForm onEnter={enter} /> : <SignInPassword onEnter={enter} />}
      {ways && <OtherWays ways={ways} next={next} onEnter={enter} />}
    </PublicFrame>
  )
}

/** Why the page asks to sign in. Only a browser that had a session is told that it has ended. */
function reasonOf({ session }: SignInWays, { next, again }: { next?: string; again?: true }): string {
  if (again) return "Sign in again to confirm your identity. You then return to the page."
  if (session === "ended") return "Your session has ended. Sign in to continue."
  if (session === "second_factor") return "Enter the code of your second factor to finish."
  return next ? "Sign in to open this page." : "Sign in to your account."
}

/** The other ways that are configured, and help for a person who has none. */
function OtherWays({
  ways,
  next,
  onEnter,
}: {
  ways: SignInWays
  next: string | undefined
  onEnter: ReturnType<typeof useEnter>
}) {
  const { identity_provider, messaging_app, password_reset } = ways
  return (
    <>
      {(identity_provider || messaging_app) && (
        <div className="flex flex-col gap-2 border-line border-t pt-6">
          {identity_provider && (
            <a href={addressOf("startOauthLogin", { query: { next: next ?? "/home" } })} className={buttonLook()}>
              Continue with your identity provider
            </a>
          )}
          {messaging_app && <Messenger onEnter={onEnter} />}
        </div>
      )}
      <div className="flex flex-col gap-2 border-line border-t pt-4 text-muted text-xs">
        <p>
          {password_reset ? (
            <TextLink to="/reset-password">Forgot your password?</TextLink>
          ) : (
            "Forgot your password? An operator can send you a sign-in link, or set a new password."
          )}
        </p>
        {messaging_app && (
          <p>
            You can also send <code>/login</code> to the bot. It answers with a sign-in link.
          </p>
        )}
        <p>{accountWords(ways)}</p>
      </div>
    </>
  )
}

const wantsFactor = (error: unknown) => error instanceof ApiError && error.code === "SECOND_FACTOR_REQUIRED"
/** The fields show their own faults. */
const isOfFields = (error: unknown) => error instanceof ApiError && error.status === 422

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
      {login.error && !isOfFields(login.error) && <ErrorState error={login.error} />}
    </Form>
  )
}
