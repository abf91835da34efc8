import type { CreateApiKey, NewApiKey } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { CreateApiKeyRules } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { Button } from "../ui/button.tsx"
import { CodeBlock } from "../ui/code-block.tsx"
import { exportBaseUrl, firstTurnCurl } from "../ui/commands.ts"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { SpacePicker } from "../ui/pickers.tsx"
import { RateFields, rateOfTexts, textsOfRate } from "../ui/rate-fields.tsx"
import { showOnce } from "../ui/secret-host.tsx"
import { CapFields } from "./cap-fields.tsx"
import { DefaultCustomer } from "./default-customer.tsx"
import { capsOfTexts, EXPIRIES, expiryOf, KEY_SCOPES, NO_EXPIRY, textsOfCaps } from "./key-words.ts"

interface NewKeyDialogProps {
  onClose: () => void
  /** The scope that is selected at first. */
  scope?: CreateApiKey["scope"]
  test?: boolean
}

/** Shows the value with a command that sends a turn to a space. */
const showKey = ({ name, value }: NewApiKey, space: string | undefined) =>
  showOnce({
    secret: value,
    title: `The key ${name} is created`,
    more: (
      <>
        <p className="text-muted">Set it where your server runs:</p>
        <CodeBlock code={`${exportBaseUrl()}\nexport TURNPIKE_API_KEY=${value}`} label="The key as a variable" />
        <p className="text-muted">Then send a turn with it:</p>
        <CodeBlock code={firstTurnCurl(space)} label="The first turn as curl" />
      </>
    ),
  })

/** Creates a key, then shows its value once, with a command that sends the first turn. */
export function NewKeyDialog({
  onClose,
  scope: firstScope = CreateApiKeyRules.scope.default,
  test: firstTest = CreateApiKeyRules.test.default,
}: NewKeyDialogProps) {
  const draft = useDraft("key.new")
  const create = useChange("createKey", {
    changes: ["listKeys"],
    draft,
    onAnswer: (made) => showKey(made, reachedBy(made)),
  })
  const [name, setName] = draft.useField("name", "")
  const [scope, setScope] = draft.useField("scope", firstScope)
  const [space, setSpace] = draft.useField("space", "")
  const [test, setTest] = draft.useField("test", firstTest)
  // The instant is chosen with the field, so that a second attempt sends the same request.
  const [expiry, setExpiry] = draft.useField("expiry", NO_EXPIRY)
  const [endUser, setEndUser] = draft.useField("endUser", "")
  const [caps, setCaps] = draft.useField("caps", textsOfCaps({}))
  const [rate, setRate] = draft.useField("rate", textsOfRate(null))
  const [endUserRate, setEndUserRate] = draft.useField("end_user_rate", textsOfRate(null))
  // The sample after a key for all spaces uses the newest space.
  const spaces = useRead("listSpaces", { query: { test: test ? "true" : "false", limit: 1 } })
  const reachedBy = (made: NewApiKey) =>
    ({ space, all: spaces.data?.items.find(({ role }) => role === "owner")?.space_id, created: undefined })[made.scope]
  const send = () =>
    create.mutate(
      {
        body: {
          name,
          scope,
          test,
          expires_at: expiry.at,
          ...(endUser.trim() !== "" && { default_end_user_ref: endUser.trim() }),
          ...(scope === "space" && { space }),
          ...(!test && { caps: capsOfTexts(caps) }),
          rate: rateOfTexts(rate),
          end_user_rate: rateOfTexts(endUserRate),
        },
      },
      { onSuccess: onClose },
    )
  return (
    <AnswerDialog
      draft={draft}
      open
      wide
      onClose={onClose}
      onSubmit={send}
      title="Create an API key"
      about="For use on a server. Anyone who has the key can spend your credit."
      actions={
        <>
          <DismissButton />
          <Button
            type="submit"
            kind="primary"
            busy={create.isPending}
            disabled={name.trim() === "" || (scope === "space" && space === "")}
          >
            Create the key
          </Button>
        </>
      }
    >
      <TextInput
        label="Name"
        name="name"
        placeholder="Production server"
        autoComplete="off"
        error={create.error}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 font-strong">Scope</legend>
        {choicesOf(KEY_SCOPES).map(([one, { title, about }]) => (
          <label key={one} className="flex items-start gap-2">
            <span className="flex h-5 items-center">
              <input
                type="radio"
                name="scope"
                checked={scope === one}
                onChange={() => setScope(one)}
                className="size-4 accent-accent"
              />
            </span>
            <span>
              {title}
              <span className="block text-muted text-xs">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {scope === "space" && (
        <SpacePicker
          label="Space"
          name="space"
          error={create.error}
          value={space}
          test={test || undefined}
          onChange={setSpace}
        />
      )}
      <Select
        label="Expires"
        name="expires_at"
        error={create.error}
        value={expiry.days}
        onChange={({ target }) => setExpiry(expiryOf(target.value))}
        options={EXPIRIES}
      />
      <DefaultCustomer value={endUser} error={create.error} onChange={setEndUser} />
      <Checkbox
        label="Test key"
        hint="It runs the rehearsal model, costs nothing and accesses only test data."
        checked={test}
        onChange={({ target }) => {
          setTest(target.checked)
          // A test key reaches only spaces with test data.
          setSpace("")
        }}
      />
      {!test && (
        <details>
          <summary className="font-strong">Caps and rates (optional)</summary>
          <div className="pt-3">
            <CapFields texts={caps} onChange={setCaps} error={create.error} />
            <RateFields name="rate" title="Rate of the key" texts={rate} onChange={setRate} error={create.error} />
            <RateFields
              name="end_user_rate"
              title="Default rate of each end user"
              texts={endUserRate}
              onChange={setEndUserRate}
              error={create.error}
            />
          </div>
        </details>
      )}
      {create.error && <ErrorState error={create.error} />}
    </AnswerDialog>
  )
}
