import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as BaseDialog } from "@base-ui/react/dialog"
import { type ReactNode, useState } from "react"
import { Button } from "./button.tsx"
import { ErrorState } from "./error-state.tsx"
import { TextInput } from "./field.tsx"

const BACKDROP = "fixed inset-0 z-30 bg-[rgb(0_0_0/0.4)]"
const POPUP =
  "fixed top-1/2 left-1/2 z-30 flex max-h-[calc(100dvh-32px)] w-[520px] max-w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-md border border-line bg-raised p-5 shadow-xl"

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  about?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  wide?: boolean
}

const popupOf = (wide: boolean | undefined) => `${POPUP} ${wide ? "sm:w-[880px]" : ""}`

/** A dialog that closes by Escape and by a click beside it. */
export function Dialog({ open, onClose, title, about, children, actions, wide }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup className={popupOf(wide)}>
          <BaseDialog.Title className="text-md">{title}</BaseDialog.Title>
          {about && <BaseDialog.Description className="text-muted">{about}</BaseDialog.Description>}
          {children}
          {actions && <div className="flex flex-wrap justify-end gap-2">{actions}</div>}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

interface AnswerProps extends DialogProps {
  /** It is a form: Enter in a field does what its button of type `submit` does. */
  onSubmit?: () => void
}

/** A dialog that wants an answer: a click beside it does nothing. */
export function AnswerDialog({ open, onClose, onSubmit, title, about, children, actions, wide }: AnswerProps) {
  const content = (
    <>
      {children}
      <div className="flex flex-wrap justify-end gap-2">{actions}</div>
    </>
  )
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={popupOf(wide)}>
          <AlertDialog.Title className="text-md">{title}</AlertDialog.Title>
          {about && <AlertDialog.Description className="text-muted">{about}</AlertDialog.Description>}
          {onSubmit ? (
            <form
              noValidate
              className="flex min-w-0 flex-col gap-4"
              onSubmit={(event) => {
                event.preventDefault()
                onSubmit()
              }}
            >
              {content}
            </form>
          ) : (
            content
          )}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

interface ConfirmProps {
  open: boolean
  onClose: () => void
  /** A question that names the object: "Revoke the key Production?" */
  title: string
  /** What happens then. */
  about: ReactNode
  /** The verb on the button. */
  verb: string
  onConfirm: () => void
  busy?: boolean
  error?: unknown
  /** Must be typed first: for what nothing brings back. */
  typed?: string
  /** Nothing is lost by it: the button is not red. */
  safe?: boolean
}

export function ConfirmDialog({
  open,
  onClose,
  title,
  about,
  verb,
  onConfirm,
  busy,
  error,
  typed,
  safe,
}: ConfirmProps) {
  const [text, setText] = useState("")
  const close = () => {
    setText("")
    onClose()
  }
  return (
    <AnswerDialog
      open={open}
      onClose={close}
      onSubmit={onConfirm}
      title={title}
      about={about}
      actions={
        <>
          <Button onClick={close}>Keep it as it is</Button>
          <Button
            type="submit"
            kind={safe ? "primary" : "danger"}
            busy={busy}
            disabled={typed !== undefined && text !== typed}
          >
            {verb}
          </Button>
        </>
      }
    >
      {typed !== undefined && (
        <TextInput
          label={`Type ${typed} to confirm`}
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {error ? <ErrorState error={error} /> : null}
    </AnswerDialog>
  )
}
