import type { ApiKey } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { RotateApiKeyRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, ConfirmDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Select, TextInput } from "../ui/field.tsx"
import { RateFields, rateOfTexts, textsOfRate } from "../ui/rate-fields.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { toast } from "../ui/toast.tsx"
import { CapFields } from "./cap-fields.tsx"
import { DefaultCustomer } from "./default-customer.tsx"
import { capsOfTexts, EXPIRIES, expiryOf, type KeyExpiry, OVERLAPS, textsOfCaps } from "./key-words.ts"

export interface KeyChange {
  kind: "edit" | "rotate" | "revoke"
  apiKey: ApiKey
}

type Props = KeyChange & { onClose: () => void }

/** The dialogs that change an existing key. */
export function KeyDialog(props: Props) {
  if (props.kind === "edit") return <EditKey {...props} />
  return props.kind === "rotate" ? <RotateKey {...props} /> : <RevokeKey {...props} />
}

const CHANGES = { changes: ["listKeys" as const, "getKey" as const, "listMembers" as const] }

const UNCHANGED = { days: "as it is", at: null } as KeyExpiry

function EditKey({ apiKey, onClose }: Props) {
  const draft = useDraft(`key.${apiKey.key_id}`)
  const update = useChange("updateKey", { ...CHANGES, draft })
  const [name, setName] = draft.useField("name", apiKey.name)
  const [expiry, setExpiry] = draft.useField("expiry", UNCHANGED)
  const [endUser, setEndUser] = draft.useField("endUser", apiKey.default_end_user_ref ?? "")
  const [caps, setCaps] = draft.useField("caps", textsOfCaps(apiKey.caps))
  const [rate, setRate] = draft.useField("rate", textsOfRate(apiKey.rate))
  const [endUserRate, setEndUserRate] = draft.useField("end_user_rate", textsOfRate(apiKey.end_user_rate))
  const save = () =>
    update.mutate(
      {
        path: { key_id: apiKey.key_id },
        body: {
          name,
          ...(expiry.days !== UNCHANGED.days && { expires_at: expiry.at }),
          default_end_user_ref: endUser.trim() || null,
          ...(!apiKey.test && { caps: capsOfTexts(caps) }),
          rate: rateOfTexts(rate),
          end_user_rate: rateOfTexts(endUserRate),
        },
      },
      {
        onSuccess: () => {
          toast(`The key ${name} is saved.`)
          onClose()
        },
      },
    )
  return (
    <AnswerDialog
      draft={draft}
      open
      wide
      onClose={onClose}
      onSubmit={save}
      title={`Edit the key ${apiKey.name}`}
      about="The value and the scope stay the same. An empty field means no cap and no limit."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={update.isPending} disabled={name.trim() === ""}>
            Save
          </Button>
        </>
      }
    >
      <TextInput
        label="Name"
        name="name"
        error={update.error}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Expires"
        name="expires_at"
        error={update.error}
        value={expiry.days}
        onChange={({ target }) => setExpiry(expiryOf(target.value))}
        options={[[UNCHANGED.days, "Do not change"], ...EXPIRIES]}
      />
      <DefaultCustomer value={endUser} error={update.error} onChange={setEndUser} />
      {!apiKey.test && <CapFields texts={caps} onChange={setCaps} error={update.error} />}
      <RateFields name="rate" title="Rate of the key" texts={rate} onChange={setRate} error={update.error} />
      <RateFields
        name="end_user_rate"
        title="Default rate of each end user"
        texts={endUserRate}
        onChange={setEndUserRate}
        error={update.error}
      />
      {update.error && <ErrorState error={update.error} />}
    </AnswerDialog>
  )
}

function RotateKey({ apiKey, onClose }: Props) {
  const draft = useDraft(`rotation.${apiKey.key_id}`)
  const rotate = useChange("rotateKey", {
    ...CHANGES,
    draft,
    onAnswer: ({ name, value }) => showOnce({ secret: value, title: `The key ${name} has a new value` }),
  })
  const [overlap, setOverlap] = draft.useField("overlap", String(RotateApiKeyRules.overlap_seconds.default))
  const send = () =>
    rotate.mutate(
      { path: { key_id: apiKey.key_id }, body: { overlap_seconds: Number(overlap) } },
      { onSuccess: onClose },
    )
  return (
    <AnswerDialog
      draft={draft}
      open
      onClose={onClose}
      onSubmit={send}
      title={`Rotate the key ${apiKey.name}?`}
      about="The key gets a new value. Its id, scope, caps and spaces stay the same."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={rotate.isPending}>
            Rotate key
          </Button>
        </>
      }
    >
      <Select
        label="Old value expires"
        hint="Allow enough time to update every server."
        value={overlap}
        onChange={({ target }) => setOverlap(target.value)}
        options={OVERLAPS}
      />
      {rotate.error && <ErrorState error={rotate.error} />}
    </AnswerDialog>
  )
}

function RevokeKey({ apiKey: { key_id, name }, onClose }: Props) {
  const revoke = useChange("revokeKey", CHANGES)
  const done = () => {
    toast(`The key ${name} is revoked.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke the key ${name}?`}
      about="Requests with this key fail immediately. This cannot be undone. Its spaces, turns and webhooks stay."
      verb="Revoke key"
      typed={name}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ path: { key_id } }, { onSuccess: done })}
    />
  )
}
