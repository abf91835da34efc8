import { Suspense, useState } from "react"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Read } from "../ui/read.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

const RemoveDialog = lazyPart(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.RemoveFactorDialog })),
)
const QrCode = lazyPart(() => import("../sign-in/qr-code.tsx").then((module) => ({ default: module.QrCode })))

/** Shows, sets up and removes the second factor: codes of an authenticator app. */
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
              "Admin operations require a second factor."
            ) : (
              "Signing in does not ask for a code."
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
  const confirm = useChange("confirmSecondFactor", {
    changes: ["getSecondFactor"],
    onAnswer: ({ recovery_codes }) =>
      showOnce({
        secret: recovery_codes.join("\n"),
        title: "The second factor is set up",
        about: "Each of these recovery codes works once without your phone. Keep them in a safe place.",
      }),
  })
  const [code, setCode] = useState("")
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
      <p className="text-muted">Scan this code with your authenticator app, or enter the secret there.</p>
      <Suspense>
        <QrCode text={uri} />
      </Suspense>
      <p className="flex items-center gap-1">
        <code className="break-all">{secret}</code>
        <CopyButton text={secret} what="the secret" small />
      </p>
      <TextInput
        label="Code"
        hint="The code that the app shows now."
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
