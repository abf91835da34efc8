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

/** A dialog that closes on Escape and on a click outside. */
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
  /** Makes the dialog a form: Enter in a field submits it. */
  onSubmit?: () => void
}

/** A dialog that needs an answer. A click outside does not close it. */
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
  /** The consequences of the action. */
  about: ReactNode
  /** The label of the button that confirms. */
  verb: string
  /** The label of the button that closes the dialog. */
  dismiss?: string
  onConfirm: () => void
  busy?: boolean
  error?: unknown
  /** A text that the user must type first, for an action that cannot be undone. */
  typed?: string
  /** The action loses no data, so its button is not red. */
  safe?: boolean
}

export function ConfirmDialog({
  open,
  onClose,
  title,
  about,
  verb,
  dismiss = "Cancel",
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
          <Button onClick={close}>{dismiss}</Button>
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
