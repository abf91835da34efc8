import type { AddProviderRequest } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { AddProviderRequestRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

const { pool, engine } = AddProviderRequestRules
const EMPTY = { name: "", pool: pool.default as string, engine: "anthropic", base_url: "", api_key: "" }

/** Adds a provider account with an API key. The API encrypts the key and never shows it again. */
export function AddApiKey() {
  const draft = useDraft("provider-key")
  const add = useChange("addProvider", { draft })
  const [form, setForm] = draft.useField("form", EMPTY, { secret: ["api_key"] })
  const bind = (name: keyof typeof EMPTY) => ({
    name,
    error: add.error,
    value: form[name],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  const send = () => {
    const { base_url, ...rest } = form
    const body = { ...rest, kind: "api_key", ...(base_url && { base_url }) } as AddProviderRequest
    add.mutate(
      { body },
      {
        onSuccess: ({ name }) => {
          toast(`${name} was added.`)
          setForm(EMPTY)
          draft.clear()
        },
      },
    )
  }
  return (
    <Form
      draft={draft}
      label="Add an API key"
      onSubmit={send}
      actions={
        <Button kind="primary" type="submit" busy={add.isPending} disabled={form.name === "" || form.api_key === ""}>
          Add account
        </Button>
      }
    >
      <TextInput label="Name" autoComplete="off" {...bind("name")} />
      <Select label="Pool" options={pool.words} {...bind("pool")} />
      <Select label="Engine" options={engine.words} {...bind("engine")} />
      <TextInput
        label="Base URL"
        hint="Default: the engine's own server. If the environment sets a server for the engine, only accounts with that base URL are used."
        placeholder="https://…/v1"
        autoComplete="off"
        {...bind("base_url")}
      />
      <TextInput
        label="API key"
        type="password"
        autoComplete="off"
        hint="The key is never shown again."
        {...bind("api_key")}
      />
      {add.error && <ErrorState error={add.error} />}
    </Form>
  )
}
