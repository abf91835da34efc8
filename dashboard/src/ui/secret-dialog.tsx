import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { CodeBlock } from "./code-block.tsx"
import { AnswerDialog } from "./dialog.tsx"

interface SecretDialogProps {
  /** The secret; null: the dialog is closed. */
  secret: string | null
  title: string
  onClose: () => void
  children?: ReactNode
}

/** Shows a secret once. Only its button closes it. */
export function SecretDialog({ secret, title, onClose, children }: SecretDialogProps) {
  return (
    <AnswerDialog
      open={secret !== null}
      // Escape does nothing: the secret could not be shown again.
      onClose={() => {}}
      title={title}
      about="This value is shown only once. Store it where your server reads its secrets."
      actions={
        <Button kind="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      {secret !== null && <CodeBlock code={secret} label="The secret" />}
      {children}
    </AnswerDialog>
  )
}
