import { useChange } from "../api/query.ts"
import { PutUsageKeysRules } from "../api/rules.ts"
import { Button, IconButton } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { OutLink } from "../ui/link.tsx"
import { toast } from "../ui/toast.tsx"

const MOST = PutUsageKeysRules.keys.maxItems

interface UsageKeysDialogProps {
  /** The registered keys. */
  keys: readonly string[]
  test: true | undefined
  onClose: () => void
}

/** Registers the keys of the turns' metadata by which usage is grouped. */
export function UsageKeysDialog({ keys, test, onClose }: UsageKeysDialogProps) {
  const draft = useDraft("usage.keys")
  const put = useChange("putUsageKeys", { changes: ["getUsageKeys", "getUsage"], draft })
  const [rows, setRows] = draft.useField<readonly string[]>("keys", keys.length > 0 ? keys : [""])
  const change = (at: number, key: string) => setRows(rows.map((row, index) => (index === at ? key : row)))
  const done = () => {
    toast("The keys are saved. Usage can be grouped by them.")
    onClose()
  }
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title="Metadata keys"
      about="Usage can be grouped by these keys of your turns' metadata. Earlier turns count too."
    >
      <Form
        label="Metadata keys"
        onSubmit={() => {
          const named = rows.filter((key) => key !== "")
          // Errors name keys by their places, so the form shows the same rows.
          setRows(named)
          put.mutate({ query: { test: test && "true" }, body: { keys: named } }, { onSuccess: done })
        }}
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending}>
              Save the keys
            </Button>
            <DismissButton />
          </>
        }
      >
        {rows.map((key, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while it is typed
          <div key={at} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
            <TextInput
              label={`Key ${at + 1}`}
              placeholder="feature"
              autoComplete="off"
              name={`keys.${at}`}
              error={put.error}
              maxLength={PutUsageKeysRules["keys[]"].maxLength}
              value={key}
              onChange={({ target }) => change(at, target.value)}
            />
            <IconButton
              label={`Remove key ${at + 1}`}
              icon="close"
              className="mt-6"
              onClick={() => setRows(rows.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        <div>
          <Button icon="plus" disabled={rows.length >= MOST} onClick={() => setRows([...rows, ""])}>
            Add a key
          </Button>
        </div>
        <p className="text-muted text-xs">
          At most {MOST} keys. A turn has its <code>metadata</code> from the request that sent it.{" "}
          <OutLink href="/docs/resale">Usage by your own dimensions</OutLink>
        </p>
        {put.error ? <ErrorState error={put.error} /> : null}
      </Form>
    </Dialog>
  )
}
