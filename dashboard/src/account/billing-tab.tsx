import type { BillingDetails } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea, TextInput } from "../ui/field.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { toast } from "../ui/toast.tsx"

export function BillingTab() {
  const details = useRead("getBillingDetails")
  return (
    <Section title="Billing details">
      <p className="max-w-[72ch] text-muted">
        Your <TextLink to="/statements">statements</TextLink> show them when you print them or save them as PDF.
      </p>
      <Read of={details} rows={5}>
        {(data) => <BillingForm key={data.updated_at} details={data} />}
      </Read>
    </Section>
  )
}

function BillingForm({ details: { company, address, tax_number } }: { details: BillingDetails }) {
  const draft = useDraft("billing-details")
  const put = useChange("putBillingDetails", { changes: ["getBillingDetails"], draft })
  const [form, setForm] = draft.useField("form", { company, address, tax_number })
  const bind = (name: keyof typeof form) => ({
    name,
    error: put.error,
    value: form[name],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  return (
    <Form
      draft={draft}
      label="Billing details"
      onSubmit={() => put.mutate({ body: form }, { onSuccess: () => toast("The billing details are saved.") })}
      actions={
        <Button does="putBillingDetails" kind="primary" type="submit" busy={put.isPending}>
          Save the details
        </Button>
      }
    >
      <TextInput label="Company" autoComplete="organization" {...bind("company")} />
      <TextArea label="Address" hint="One line for each part." autoComplete="street-address" {...bind("address")} />
      <TextInput
        label="Tax number"
        hint="Such as a VAT identification number."
        autoComplete="off"
        {...bind("tax_number")}
      />
      {put.error && <ErrorState error={put.error} />}
    </Form>
  )
}
