import { type KeyboardEvent, useState } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "./button.tsx"
import { TextInput } from "./field.tsx"
import { TextLink } from "./link.tsx"

/** Asks a user to confirm their identity before a sensitive change. The user then repeats the change. */
export function ProveAgain() {
  const prove = useChange("reauthenticate", { changes: [] })
  const [proof, setProof] = useState({ password: "", code: "" })
  // The pressed control gets the focus back, so that one more Enter makes the change.
  const [pressed] = useState(() => document.activeElement)
  const send = () => {
    const { password, code } = proof
    prove.mutate(
      { body: { ...(password && { password }), ...(code && { code }) } },
      { onSuccess: () => pressed instanceof HTMLElement && pressed.focus() },
    )
  }
  // Not a form, because it may be shown inside one.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    if (!prove.isPending) send()
  }
  const bind = (name: keyof typeof proof) => ({
    name,
    value: proof[name],
    onChange: ({ target }: { target: { value: string } }) => setProof({ ...proof, [name]: target.value }),
  })
  if (prove.isSuccess) return <p role="status">Your identity is confirmed. Repeat the action.</p>
  return (
    <fieldset className="flex max-w-[560px] flex-col gap-3 text-text" onKeyDown={onKeyDown}>
      <legend className="sr-only">Confirm your identity</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextInput
          label="Your password"
          type="password"
          autoComplete="current-password"
          autoFocus
          {...bind("password")}
        />
        <TextInput
          label="Code"
          hint="From your second factor, if you have one."
          autoComplete="one-time-code"
          {...bind("code")}
        />
      </div>
      {prove.error && (
        <p role="alert" className="text-bad">
          {prove.error.message}
        </p>
      )}
      <div>
        <Button busy={prove.isPending} onClick={send}>
          Confirm
        </Button>
      </div>
      <p className="text-muted text-xs">
        No password?{" "}
        <TextLink to="/sign-in" search={{ next: location.pathname + location.search, again: true } as never}>
          Sign in again
        </TextLink>{" "}
        with your identity provider or the messaging platform. You then return to this page. What you typed is still
        there, except secrets.
      </p>
    </fieldset>
  )
}
