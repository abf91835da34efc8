import { Suspense, useEffect, useRef, useState } from "react"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

const RemoveDialog = lazyPart(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.RemoveFactorDialog })),
)
const QrCode = lazyPart(() => import("../sign-in/qr-code.tsx").then((module) => ({ default: module.QrCode })))

/** Shows, sets up and removes the second factor: codes of an authenticator app. */
export function SecondFactorPart() {
  const factor = useRead("getSecondFactor")
  const [codes, setCodes] = useState<string[] | null>(null)
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
          {codes && <RecoveryCodes codes={codes} />}
          {enrolled ? <RemoveFactor onRemoved={() => setCodes(null)} /> : <SetUpFactor onDone={setCodes} />}
        </div>
      )}
    </Read>
  )
}

function RemoveFactor({ onRemoved }: { onRemoved: () => void }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Remove the second factor
      </Button>
      <Suspense>{asking && <RemoveDialog onRemoved={onRemoved} onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}

function SetUpFactor({ onDone }: { onDone: (recoveryCodes: string[]) => void }) {
  const begin = useChange("beginSecondFactor", { changes: [] })
  const confirm = useChange("confirmSecondFactor", { changes: ["getSecondFactor"] })
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
      onSubmit={() =>
        // Not `mutate`: this form unmounts when the factor is read again, and its callbacks would not run.
        void confirm.mutateAsync({ body: { code } }).then(
          ({ recovery_codes }) => onDone(recovery_codes),
          () => {},
        )
      }
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

/** Takes the focus, so that users of a keyboard or screen reader notice the codes. */
function RecoveryCodes({ codes }: { codes: string[] }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div ref={box} role="status" tabIndex={-1} className="flex flex-col items-start gap-3">
      <p>
        The second factor is set up. Each recovery code works once without your phone. The codes are not shown again.
      </p>
      <pre className="rounded-md bg-panel p-3">
        <code>{codes.join("\n")}</code>
      </pre>
      <CopyButton text={codes.join("\n")} what="the recovery codes" />
    </div>
  )
}
