import type { Provider, ProviderReport, PutProviderReportRequest } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, ConfirmDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { FORMATS } from "./book-words.tsx"

interface ReportDialogProps {
  account: Provider
  report: ProviderReport | undefined
  onClose: () => void
}

/** Sets how the reports of an account are read. The key is never shown again. */
export function ReportDialog({ account, report, onClose }: ReportDialogProps) {
  const { provider_id, name, engine } = account
  const draft = useDraft(`report.${provider_id}`, { version: report?.version ?? 0 })
  const put = useChange("putProviderReport", { draft })
  const [form, setForm] = draft.useField(
    "form",
    {
      format: report?.format ?? (engine === "openai-compatible" ? "openrouter" : engine),
      api_key: "",
      scope_id: report?.scope_id ?? "",
      base_url: report?.base_url ?? "",
      shared: report?.shared ?? false,
    },
    { secret: ["api_key"] },
  )
  const bind = (field: "format" | "api_key" | "scope_id" | "base_url") => ({
    name: field,
    error: put.error,
    value: form[field],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [field]: target.value }),
  })
  const send = () => {
    const { api_key, scope_id, base_url, ...rest } = form
    const body: PutProviderReportRequest = {
      ...rest,
      scope_id: scope_id || null,
      base_url: base_url || null,
      ...(api_key && { api_key }),
    }
    const saved = () => {
      toast(`The reports of ${name} are compared from now on.`)
      draft.clear()
      onClose()
    }
    put.mutate({ path: { provider_id }, body, ifMatch: draft.version ?? 0 }, { onSuccess: saved })
  }
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={send}
      draft={draft}
      title={`Reports of ${name}`}
      about="Each day of the account is compared with the provider's own report of its use and cost."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={put.isPending} disabled={!report && form.api_key === ""}>
            Save
          </Button>
        </>
      }
    >
      <Select label="Reports" options={choicesOf(FORMATS)} {...bind("format")} />
      <TextInput
        label="Key for reports"
        type="password"
        autoComplete="off"
        hint={`An admin key (Anthropic, OpenAI) or a management key (OpenRouter). It is never shown again.${report ? " Empty: the stored key." : ""}`}
        {...bind("api_key")}
      />
      <TextInput
        label="Workspace or project"
        hint="Only if the organisation has others: the id of the one that has the account's key."
        autoComplete="off"
        {...bind("scope_id")}
      />
      <TextInput
        label="Base URL"
        hint="Default: the provider's own server."
        placeholder="https://…/v1"
        autoComplete="off"
        {...bind("base_url")}
      />
      <Checkbox
        label="Other software uses the account, too"
        checked={form.shared}
        onChange={({ target }) => setForm({ ...form, shared: target.checked })}
      />
      {put.error ? <ErrorState error={put.error} /> : null}
    </AnswerDialog>
  )
}

export function EndReport({ report, onClose }: { report: ProviderReport; onClose: () => void }) {
  const remove = useChange("removeProviderReport")
  const { provider_id } = report
  const gone = () => {
    toast(`The reports of ${provider_id} are no longer read.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`End the comparison of ${provider_id}?`}
      about="This deletes the key of its reports. Compared days stay."
      verb="End"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { provider_id } }, { onSuccess: gone })}
    />
  )
}
