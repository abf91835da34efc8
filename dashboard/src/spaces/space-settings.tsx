import { useChange } from "../api/query.ts"
import { PatchSpaceRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea, TextInput } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { toast } from "../ui/toast.tsx"
import { type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

interface SpaceDialogProps extends SpaceTabProps {
  onClose: () => void
}

export function SpaceSettingsDialog({ space, onClose }: SpaceDialogProps) {
  const input = useSpaceInput()
  const draft = useDraft(`space.${space.space_id}`)
  const update = useChange("updateSpace", { changes: ["getSpace", "listSpaces", "listConfigVersions"], draft })
  const [title, setTitle] = draft.useField("title", space.title)
  const [notes, setNotes] = draft.useField("notes", jsonText(space.metadata))
  const metadata = readJson(notes)
  const send = () =>
    update.mutate(
      { ...input, body: { title, metadata: (metadata.value ?? {}) as Record<string, string> } },
      {
        onSuccess: () => {
          toast("The space is saved.")
          onClose()
        },
      },
    )
  return (
    <Dialog draft={draft} open onClose={onClose} title={`Settings of ${space.title}`}>
      <Form
        label="Settings"
        onSubmit={send}
        actions={
          <>
            <Button
              kind="primary"
              type="submit"
              busy={update.isPending}
              disabled={title.trim() === "" || metadata.error !== undefined}
            >
              Save
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Title"
          name="title"
          error={update.error}
          value={title}
          autoComplete="off"
          onChange={({ target }) => setTitle(target.value)}
        />
        <TextArea
          mono
          label="Metadata"
          hint={`Your own data as a JSON object: at most ${PatchSpaceRules.metadata.maxProperties} properties, all strings.`}
          name="metadata"
          error={metadata.error ?? update.error}
          rows={5}
          value={notes}
          onChange={({ target }) => setNotes(target.value)}
        />
        {update.error && <ErrorState error={update.error} />}
      </Form>
    </Dialog>
  )
}

export function ArchiveSpaceDialog({ space, onClose }: SpaceDialogProps) {
  const input = useSpaceInput()
  const archive = useChange("archiveSpace")
  const done = () => {
    toast(`The space ${space.title} is archived.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Archive the space ${space.title}?`}
      about="The space accepts no more turns, files or changes, and its open turns end. It can still be read. This cannot be undone."
      verb="Archive space"
      typed={space.title}
      busy={archive.isPending}
      error={archive.error}
      onConfirm={() => archive.mutate(input, { onSuccess: done })}
    />
  )
}
