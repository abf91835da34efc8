import type { EndUserProfile } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextArea } from "../ui/field.tsx"
import { jsonText, readJson } from "../ui/json-text.ts"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { toast } from "../ui/toast.tsx"

interface ProfileProps {
  endUserRef: string
  test: true | undefined
}

/** The facts about an end user that agents and requests of tools can use. */
export function EndUserProfileSection({ endUserRef, test }: ProfileProps) {
  const input = { path: { end_user_ref: endUserRef }, query: { test: test && ("true" as const) } }
  const profile = useRead("getEndUserProfile", input)
  return (
    <Section title="Profile">
      <Read of={profile} rows={3}>
        {(data) => <ProfileForm key={JSON.stringify(data.profile)} of={data} test={test} />}
      </Read>
    </Section>
  )
}

function ProfileForm({ of: { end_user_ref, profile }, test }: { of: EndUserProfile; test: true | undefined }) {
  const draft = useDraft(`end-user-profile.${test ? "test" : "live"}.${end_user_ref}`)
  const put = useChange("putEndUserProfile", {
    changes: ["getEndUserProfile", "getEndUser", "listEndUsers"],
    draft,
    // The saved profile makes a new form.
    onAnswer: () => toast("The profile is saved."),
  })
  const [text, setText] = draft.useField("profile", jsonText(profile))
  const read = readJson(text)
  const save = () =>
    put.mutate({
      path: { end_user_ref },
      query: { test: test && "true" },
      body: { profile: (read.value ?? {}) as EndUserProfile["profile"] },
    })
  return (
    <Form
      label="Profile"
      draft={draft}
      onSubmit={save}
      actions={
        <Button
          does="putEndUserProfile"
          kind="primary"
          type="submit"
          busy={put.isPending}
          disabled={read.error !== undefined}
        >
          Save the profile
        </Button>
      }
    >
      <TextArea
        mono
        label="Facts"
        hint="JSON with texts, numbers, true or false. Agents and tools read them as {{profile.KEY}}."
        rows={6}
        name="profile"
        error={read.error ?? put.error}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {put.error && <ErrorState error={put.error} />}
    </Form>
  )
}
