import type { EndUserDefault, Price } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select } from "../ui/field.tsx"
import { KeyPicker } from "../ui/pickers.tsx"
import { toast } from "../ui/toast.tsx"
import { prepaidChoices, prepaidOf } from "./prepaid-choice.ts"

interface DefaultDialogProps {
  /** Undefined: the dialog asks for a key. */
  of: EndUserDefault | undefined
  prices: readonly Price[]
  test: true | undefined
  onClose: () => void
}

/** Sets the default of the account or of a key, for live or for test turns. */
export function DefaultDialog({ of, prices, test, onClose }: DefaultDialogProps) {
  const asks = of === undefined
  const draft = useDraft(`price.default.${test ? "test." : ""}${asks ? "new" : (of.key_id ?? "account")}`)
  const put = useChange("putEndUserDefaults", {
    changes: ["listEndUserDefaults", "listPrices", "getEndUserBalance"],
    draft,
  })
  const [key, setKey] = draft.useField("key", of?.key_id ?? "")
  const [price, setPrice] = draft.useField("price", of?.price ?? "")
  const [prepaid, setPrepaid] = draft.useField("prepaid", of?.prepaid == null ? "" : String(of.prepaid))
  const isOfKey = asks || of.key_id !== null
  const done = () => {
    toast(`The default of ${isOfKey ? "the key" : "the account"} is saved.`)
    onClose()
  }
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title={asks ? "The default of a key" : of.key_id ? `The default of the key ${of.name}` : "The account's default"}
      about={`It applies to ${test ? "test" : "live"} turns ${isOfKey ? "of the key" : "of all keys"}, for end users without a setting of their own.`}
    >
      <Form
        label="Default"
        onSubmit={() =>
          put.mutate(
            {
              query: { test: test && "true" },
              body: {
                key_id: key || null,
                price: price || null,
                prepaid: prepaidOf(prepaid),
              },
            },
            { onSuccess: done },
          )
        }
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending} disabled={asks && key === ""}>
              Save the default
            </Button>
            <DismissButton />
          </>
        }
      >
        {asks && (
          <KeyPicker label="API key" name="key_id" error={put.error} value={key} test={test} onChange={setKey} />
        )}
        <Select
          label="Price"
          name="price"
          error={put.error}
          value={price}
          onChange={({ target }) => setPrice(target.value)}
          options={[
            ["", isOfKey ? "None: the account's default" : "None: as billed"],
            ...prices.map((one) => one.name),
          ]}
        />
        <Select
          label="Payment"
          name="prepaid"
          hint="Turns of a prepaid end user without credit are rejected with END_USER_CREDIT_SPENT."
          error={put.error}
          value={prepaid}
          onChange={({ target }) => setPrepaid(target.value)}
          options={prepaidChoices("Not set: prepaid from the first credit on")}
        />
        {put.error ? <ErrorState error={put.error} /> : null}
      </Form>
    </Dialog>
  )
}
