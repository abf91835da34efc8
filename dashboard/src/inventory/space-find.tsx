import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { Form, TextInput } from "../ui/field.tsx"

/** Opens the page of a space by its number, slug or chat key. */
export function FindSpace({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [text, setText] = useState("")
  const wanted = text.trim()
  return (
    <Dialog open onClose={onClose} title="Open a space">
      <Form
        label="Open a space"
        onSubmit={() => wanted && void navigate({ to: "/operator/spaces/$spaceId", params: { spaceId: wanted } })}
        actions={
          <>
            <Button type="submit" kind="primary" disabled={!wanted}>
              Open space
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Number, slug or chat key"
          hint="For example 318, spc_…, or the key of a messaging chat"
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      </Form>
    </Dialog>
  )
}
