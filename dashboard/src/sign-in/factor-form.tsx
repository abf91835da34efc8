import { useState } from "react"
import type { User } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState, useCountdown } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"

/** Asks for a code of the second factor, after a sign-in that requires one. */
export function FactorForm({ onEnter }: { onEnter: (user: User) => void }) {
  const [code, setCode] = useState("")
  const answer = useChange("answerSecondFactor", { changes: [] })
  const left = useCountdown(answer.error)
  return (
    <Form
      label="Second factor"
      onSubmit={() => answer.mutate({ body: { code } }, { onSuccess: onEnter })}
      actions={
        <Button
          type="submit"
          kind="primary"
          className="w-full"
          busy={answer.isPending}
          disabled={code === "" || left > 0}
        >
          {left > 0 ? `Try again in ${left} s` : "Sign in"}
        </Button>
      }
    >
      <TextInput
        label="Code"
        hint="From your authenticator app, or a recovery code."
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        error={answer.error}
        onChange={({ target }) => setCode(target.value)}
      />
      {answer.error && <ErrorState error={answer.error} />}
    </Form>
  )
}
