import { lazy, Suspense, useState } from "react"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

const RemoveDialog = lazy(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.RemoveFactorDialog })),
)
const QrCode = lazy(() => import("../sign-in/qr-code.tsx").then((module) => ({ default: module.QrCode })))

/** Codes of an authenticator app beside the password: set up, shown, taken away. */
export function SecondFactorPart() {
  const factor = useRead("getSecondFactor")
  return (
    <Read of={factor} rows={2}>
      {({ enrolled, enrolled_at, required, recovery_codes_left }) => (
        <div className="flex flex-col items-start gap-3">
          <p>
            <Status word={enrolled ? "set up" : "not set up"} tone={enrolled ? "ok" : required ? "warn" : "none"} />{" "}
            {enrolled ? (
              <>
                Since <Time at={enrolled_at} />; {recovery_codes_left} recovery codes are left.
              </>
            ) : required ? (
              "You can act as an admin only with one."
            ) : (
              "Signing in asks for nothing else."
            )}
          </p>
          {enrolled ? <RemoveFactor /> : <SetUpFactor />}
        </div>
      )}
    </Read>
  )
}

function RemoveFactor() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Remove the second factor
      </Button>
      <Suspense>{asking && <RemoveDialog onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}

function SetUpFactor() {
  const begin = useChange("beginSecondFactor", { changes: [] })
  const confirm = useChange("confirmSecondFactor", { changes: [] })
  const [code, setCode] = useState("")
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} />
  if (!begin.data) {
    return (
      <>
        <Button busy={begin.isPending} onClick={() => begin.mutate(undefined)}>
          Set up a second factor
        </Button>
        {begin.error && <ErrorState error={begin.error} />}
      </>
    )
  }
  const { secret, uri } = begin.data
  return (
    <Form
      label="Set up a second factor"
      onSubmit={() => confirm.mutate({ body: { code } })}
      actions={
        <Button kind="primary" type="submit" busy={confirm.isPending} disabled={code === ""}>
          Confirm
        </Button>
      }
    >
      <p className="text-muted">Scan this with your authenticator app, or type the secret there.</p>
      <Suspense>
        <QrCode text={uri} />
      </Suspense>
      <p className="flex items-center gap-1">
        <code className="break-all">{secret}</code>
        <CopyButton text={secret} what="the secret" small />
      </p>
      <TextInput
        label="Code"
        hint="That the app shows now."
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        error={confirm.error}
        onChange={({ target }) => setCode(target.value)}
      />
      {confirm.error && <ErrorState error={confirm.error} />}
    </Form>
  )
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <div role="status" className="flex flex-col items-start gap-3">
      <p>The second factor is set up. Each of these codes works once without your phone; they are not shown again.</p>
      <pre className="rounded-md bg-panel p-3">
        <code>{codes.join("\n")}</code>
      </pre>
      <CopyButton text={codes.join("\n")} what="the recovery codes" />
    </div>
  )
}
