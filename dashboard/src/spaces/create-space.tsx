import { useNavigate } from "@tanstack/react-router"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { ModelSelect } from "./model-select.tsx"

/** Creates a space with a title, a model and instructions. The rest is set on its page. */
export function CreateSpaceDialog({ test, onClose }: { test: true | undefined; onClose: () => void }) {
  const draft = useDraft("space.new")
  const create = useChange("createSpace", { changes: ["listSpaces"], draft })
  const navigate = useNavigate()
  const [title, setTitle] = draft.useField("title", "")
  const [model, setModel] = draft.useField("model", "")
  const [instructions, setInstructions] = draft.useField("instructions", "")
  const send = () =>
    create.mutate(
      {
        query: { test: test && "true" },
        body: {
          title,
          manifest: { ...(instructions && { instructions }), ...(model && { model }) },
        },
      },
      {
        onSuccess: ({ space_id, title }) => {
          toast(`The space ${title} is created.`)
          void navigate({ to: "/spaces/$spaceId", params: { spaceId: space_id }, search: { test } })
        },
      },
    )
  return (
    <Dialog
      draft={draft}
      open
      onClose={onClose}
      title="Create a space"
      about="Add tools, secrets and files on its page afterwards."
    >
      <Form
        label="Create a space"
        onSubmit={send}
        actions={
          <>
            <Button kind="primary" type="submit" busy={create.isPending} disabled={title.trim() === ""}>
              Create the space
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Title"
          hint="A name to recognize it by."
          name="title"
          error={create.error}
          value={title}
          autoComplete="off"
          onChange={({ target }) => setTitle(target.value)}
        />
        <ModelSelect
          label="Model"
          none="Service default"
          name="manifest.model"
          error={create.error}
          value={model}
          test={test}
          onChange={setModel}
        />
        <TextArea
          label="Instructions"
          hint="The agent gets them in every turn. You can change them at any time."
          name="manifest.instructions"
          error={create.error}
          rows={6}
          value={instructions}
          onChange={({ target }) => setInstructions(target.value)}
        />
        {create.error && <ErrorState error={create.error} />}
      </Form>
    </Dialog>
  )
}
