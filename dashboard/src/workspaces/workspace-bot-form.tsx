import { useState } from "react"
import type { Workspace } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Sets a workspace's bot. The token is write-only. */
export function OperatorBotForm({ of, onClose }: { of: Workspace; onClose: () => void }) {
  const change = useChange("putWorkspaceBot")
  const [username, setUsername] = useState(of.bot.username ?? "")
  const [token, setToken] = useState("")
  const [remove, setRemove] = useState(false)
  const body = {
    username: username.replace(/^@/, "") || null,
    ...(remove ? { token: null } : token ? { token } : {}),
  }
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { workspace_id: of.workspace_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`The bot of ${of.name} is saved.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      title={`The bot of ${of.name}`}
      verb="Save"
      change={change}
      save={save}
      mine={{ bot: { username: body.username, has_token: remove ? false : token ? true : of.bot.has_token } }}
      version={of.version}
      onClose={onClose}
    >
      <TextInput
        label="Name on the messaging platform"
        name="username"
        hint="Without its @"
        value={username}
        error={change.error}
        onChange={({ target }) => setUsername(target.value)}
      />
      <TextInput
        label="Token"
        name="token"
        type="password"
        autoComplete="off"
        disabled={remove}
        hint={of.bot.has_token ? "One is stored. Empty: it stays." : "It is stored sealed and never shown."}
        value={token}
        error={change.error}
        onChange={({ target }) => setToken(target.value)}
      />
      {of.bot.has_token && (
        <Checkbox label="Remove the token" checked={remove} onChange={({ target }) => setRemove(target.checked)} />
      )}
    </OperatorEditDialog>
  )
}
