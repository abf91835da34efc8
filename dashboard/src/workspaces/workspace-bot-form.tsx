import type { Workspace } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Sets the bot of a workspace. The token is write-only. */
export function BotForm({ of, onClose }: { of: Workspace; onClose: () => void }) {
  const draft = useDraft(`bot.${of.workspace_id}`, { version: of.version })
  const change = useChange("putWorkspaceBot", { draft })
  const [username, setUsername] = draft.useField("username", of.bot.username ?? "")
  const [token, setToken] = draft.useField("token", "", { secret: true })
  const [remove, setRemove] = draft.useField("remove", false)
  const body = {
    username: username.replace(/^@/, "") || null,
    ...(remove ? { token: null } : token ? { token } : {}),
  }
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { workspace_id: of.workspace_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`The bot of ${of.name} was saved.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Bot of ${of.name}`}
      verb="Save"
      change={change}
      save={save}
      mine={{ bot: { username: body.username, has_token: remove ? false : token ? true : of.bot.has_token } }}
      version={of.version}
      onClose={onClose}
    >
      <TextInput
        label="Username on the messaging platform"
        name="username"
        hint="Without the @"
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
        hint={
          of.bot.has_token
            ? "A token is stored. Leave empty to keep it."
            : "The token is stored encrypted and never shown."
        }
        value={token}
        error={change.error}
        onChange={({ target }) => setToken(target.value)}
      />
      {of.bot.has_token && (
        <Checkbox label="Remove the token" checked={remove} onChange={({ target }) => setRemove(target.checked)} />
      )}
    </EditDialog>
  )
}
