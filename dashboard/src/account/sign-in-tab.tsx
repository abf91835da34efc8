import { Suspense, useState } from "react"
import { addressOf } from "../api/call.ts"
import type { Identity } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { listIdentitiesQuery } from "../api/rules.ts"
import { Button, buttonLook } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { PasswordForm } from "./password-form.tsx"
import { SecondFactorPart } from "./second-factor.tsx"

const UnlinkDialog = lazyPart(() =>
  import("./account-dialogs.tsx").then((module) => ({ default: module.UnlinkDialog })),
)

/** The display name of an issuer: the messaging platform, or the host of its URL. */
const issuerOf = (issuer: string) =>
  issuer.startsWith("messenger:") ? "Messaging platform" : URL.canParse(issuer) ? new URL(issuer).host : issuer

export function SignInTab() {
  const identities = useRead("listIdentities", { query: { limit: listIdentitiesQuery.limit.maximum } })
  const [doomed, setDoomed] = useState<Identity | null>(null)
  const ways = useRead("listSignInWays")
  const link = ways.data?.identity_provider && (
    <a href={addressOf("linkIdentity", { query: { next: "/account" } })} className={buttonLook()}>
      Link an identity
    </a>
  )
  return (
    <>
      <Section title="Identities" action={link}>
        <Read of={identities} rows={3}>
          {({ items }) => (
            <Table
              caption="Identities that sign you in"
              rows={items}
              rowKey={({ identity_id }) => identity_id}
              empty={
                <EmptyState title="No linked identities">
                  Link an account at the identity provider to sign in with it.
                </EmptyState>
              }
              columns={[
                { title: "Issuer", cell: ({ issuer }) => <span title={issuer}>{issuerOf(issuer)}</span> },
                {
                  title: "Email",
                  cell: ({ email, email_verified }) =>
                    email ? `${email}${email_verified ? "" : " (not verified)"}` : "–",
                },
                { title: "Id at the issuer", cell: ({ subject }) => <code className="break-all">{subject}</code> },
                { title: "Linked", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
                { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
                {
                  title: "Actions",
                  actions: true,
                  cell: (identity) => (
                    <Button
                      kind="quiet"
                      aria-label={`Unlink ${identity.email ?? identity.subject}`}
                      onClick={() => setDoomed(identity)}
                    >
                      Unlink
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </Read>
      </Section>
      <Section title="Password">
        <PasswordForm />
      </Section>
      <Section title="Second factor">
        <SecondFactorPart />
      </Section>
      <Suspense>{doomed && <UnlinkDialog identity={doomed} onClose={() => setDoomed(null)} />}</Suspense>
    </>
  )
}
