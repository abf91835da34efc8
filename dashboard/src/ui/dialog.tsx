import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as BaseDialog } from "@base-ui/react/dialog"
import { createContext, type ReactNode, useContext, useState } from "react"
import { Button } from "./button.tsx"
import type { Draft } from "./draft.ts"
import { ErrorState } from "./error-state.tsx"
import { TextInput } from "./field.tsx"
import { RestoredNote } from "./restored-note.tsx"

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
  /** What is typed into the dialog. Before it closes without saving, it asks. */
  draft?: Draft
}

const popupOf = (wide: boolean | undefined) => `${POPUP} ${wide ? "sm:w-[880px]" : ""}`

/** Closes the dialog around it, after a question if something was typed. */
const DialogClose = createContext(() => {})

/** The button that closes a dialog without saving. */
export function DismissButton({ children = "Cancel" }: { children?: ReactNode }) {
  return <Button onClick={useContext(DialogClose)}>{children}</Button>
}

/** Asks before typed input is thrown away. `close`: what a dialog does when the user wants to close it. */
function useClosing({ draft, onClose }: Pick<DialogProps, "draft" | "onClose">) {
  const [asking, setAsking] = useState(false)
  const close = () => (draft?.isDirty() ? setAsking(true) : onClose())
  const discard = () => {
    draft?.clear()
    setAsking(false)
    onClose()
  }
  const question = draft && (
    <ConfirmDialog
      open={asking}
      onClose={() => setAsking(false)}
      title="Discard what you typed?"
      about="It is not saved."
      verb="Discard"
      dismiss="Continue editing"
      onConfirm={discard}
    />
  )
  return { close, question }
}

/** A dialog that closes on Escape and on a click outside. */
export function Dialog({ open, onClose, title, about, children, actions, wide, draft }: DialogProps) {
  const { close, question } = useClosing({ draft, onClose })
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && close()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup className={popupOf(wide)}>
          <BaseDialog.Title className="text-md">{title}</BaseDialog.Title>
          {about && <BaseDialog.Description className="text-muted">{about}</BaseDialog.Description>}
          <DialogClose value={close}>
            <RestoredNote draft={draft} />
            {children}
            {actions && <div className="flex flex-wrap justify-end gap-2">{actions}</div>}
          </DialogClose>
          {question}
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
export function AnswerDialog({ open, onClose, onSubmit, title, about, children, actions, wide, draft }: AnswerProps) {
  const { close, question } = useClosing({ draft, onClose })
  const content = (
    <DialogClose value={close}>
      <RestoredNote draft={draft} />
      {children}
      <div className="flex flex-wrap justify-end gap-2">{actions}</div>
    </DialogClose>
  )
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className={BACKDROP} />
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
          {question}
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
  children?: ReactNode
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
  children,
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
          <DismissButton>{dismiss}</DismissButton>
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
      {children}
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
