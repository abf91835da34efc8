import type { EndUserBalance } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, Select, TextInput } from "../ui/field.tsx"
import { plainNumber, typedNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"
import { prepaidChoices, prepaidOf } from "./prepaid-choice.ts"

interface WalletDialogProps {
  wallet: EndUserBalance
  test: true | undefined
  onClose: () => void
}

const CHANGES = ["getEndUserBalance", "listEndUserLedger", "getEndUser", "listEndUsers"] as const

export function CreditEndUserDialog({ wallet: { end_user_ref, available_usd }, test, onClose }: WalletDialogProps) {
  const draft = useDraft(`end-user.credit.${end_user_ref}`)
  const credit = useChange("creditEndUser", { changes: [...CHANGES], draft })
  const [amount, setAmount] = draft.useField("amount", "")
  const [note, setNote] = draft.useField("note", "")
  const done = () => {
    toast(`The credit of ${end_user_ref} is changed.`)
    onClose()
  }
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title="Add credit"
      about={`Adds prepaid credit to the wallet of ${end_user_ref}. Your own balance does not change.`}
    >
      <Form
        label="Credit"
        onSubmit={() =>
          credit.mutate(
            {
              path: { end_user_ref },
              query: { test: test && "true" },
              body: { amount_usd: typedNumber(amount), note: note.trim() || null },
            },
            { onSuccess: done },
          )
        }
        actions={
          <>
            <Button kind="primary" type="submit" busy={credit.isPending} disabled={amount === ""}>
              Add credit
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Amount (USD)"
          hint={`A negative amount takes back up to ${plainNumber(available_usd)} USD.`}
          inputMode="decimal"
          autoComplete="off"
          name="amount_usd"
          error={credit.error}
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
        />
        <TextInput
          label="Note"
          hint="Such as the number of an order. The end user may see it."
          autoComplete="off"
          name="note"
          error={credit.error}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        {credit.error ? <ErrorState error={credit.error} /> : null}
      </Form>
    </Dialog>
  )
}

export function EndUserBillingDialog({ wallet, test, onClose }: WalletDialogProps) {
  const { end_user_ref, price_source, prepaid_source } = wallet
  const draft = useDraft(`end-user.billing.${end_user_ref}`)
  const prices = useRead("listPrices", { query: { test: test && ("true" as const) } })
  const put = useChange("putEndUserBilling", { changes: [...CHANGES], draft })
  const [price, setPrice] = draft.useField("price", price_source === "end_user" ? (wallet.price ?? "") : "")
  const [prepaid, setPrepaid] = draft.useField("prepaid", prepaid_source === "end_user" ? String(wallet.prepaid) : "")
  const [low, setLow] = draft.useField("low", plainNumber(wallet.low_balance_usd))
  const done = () => {
    toast(`The price and the payment of ${end_user_ref} are saved.`)
    onClose()
  }
  return (
    <Dialog
      open
      draft={draft}
      onClose={onClose}
      title="Price and payment"
      about={`How new turns of ${end_user_ref} are charged. Open turns keep their price.`}
    >
      <Form
        label="Price and payment"
        onSubmit={() =>
          put.mutate(
            {
              path: { end_user_ref },
              query: { test: test && "true" },
              body: {
                price: price || null,
                prepaid: prepaidOf(prepaid),
                low_balance_usd: typedNumber(low),
              },
            },
            { onSuccess: done },
          )
        }
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending}>
              Save
            </Button>
            <DismissButton />
          </>
        }
      >
        <Select
          label="Price"
          name="price"
          error={put.error}
          value={price}
          onChange={({ target }) => setPrice(target.value)}
          options={[["", "The default"], ...(prices.data?.items ?? []).map(({ name }) => name)]}
        />
        <Select
          label="Payment"
          name="prepaid"
          error={put.error}
          value={prepaid}
          onChange={({ target }) => setPrepaid(target.value)}
          options={prepaidChoices("The default")}
        />
        <TextInput
          label="Low balance (USD)"
          hint="The event end_user.balance_low is sent below this amount. 0: never."
          inputMode="decimal"
          autoComplete="off"
          name="low_balance_usd"
          error={put.error}
          value={low}
          onChange={({ target }) => setLow(target.value)}
        />
        {put.error ? <ErrorState error={put.error} /> : null}
      </Form>
    </Dialog>
  )
}
