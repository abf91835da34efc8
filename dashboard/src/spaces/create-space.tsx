import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { ModelSelect } from "./model-select.tsx"

/** A new space with what it needs to answer; the rest is set on its page. */
export function CreateSpaceDialog({ test, onClose }: { test: true | undefined; onClose: () => void }) {
  const create = useChange("createSpace", { changes: ["listSpaces"] })
  const navigate = useNavigate()
  const [title, setTitle] = useState("")
  const [model, setModel] = useState("")
  const [instructions, setInstructions] = useState("")
  const send = () =>
    create.mutate(
      {
        query: { test: test && "true" },
        body: {
          title,
          model: model || undefined,
          manifest: instructions ? { instructions } : undefined,
        },
      },
      {
        onSuccess: ({ space_id, title }) => {
          toast(`The space ${title} is made.`)
          void navigate({ to: "/spaces/$spaceId", params: { spaceId: space_id }, search: { test } })
        },
      },
    )
  return (
    <Dialog open onClose={onClose} title="Make a space" about="Tools, secrets and files are added on its page.">
      <Form
        label="Make a space"
        onSubmit={send}
        actions={
          <>
            <Button kind="primary" type="submit" busy={create.isPending} disabled={title.trim() === ""}>
              Make the space
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </>
        }
      >
        <TextInput
          label="Title"
          hint="A name for people."
          name="title"
          error={create.error}
          value={title}
          autoComplete="off"
          onChange={({ target }) => setTitle(target.value)}
        />
        <ModelSelect
          label="Default model"
          none="The service's first model"
          name="model"
          error={create.error}
          value={model}
          test={test}
          onChange={setModel}
        />
        <TextArea
          label="Instructions"
          hint="What the agent is told before every turn. It can be changed at any time."
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
