import type { Barred } from "../api/page-user.ts"
import { Button } from "../ui/button.tsx"
import { dropDrafts } from "../ui/draft.ts"
import { TopDialog } from "../ui/top-dialog.tsx"

interface Way {
  title: string
  /** Default: the sentence of the service. */
  about?: string
  verb: string
  /** Where the verb leads. Default: the page itself, for the user who is signed in now. */
  href?: string
}

const WAYS: Record<Barred["reason"], Way> = {
  other_user: { title: "This page belongs to another user", verb: "Reload" },
  no_member: {
    title: "You are no longer a member of this account",
    about: "The last request was refused. Only an invitation by an owner brings you back.",
    verb: "Choose another account",
    href: "/accounts?barred=no_member",
  },
  no_factor: {
    title: "This account requires a second factor",
    verb: "Continue",
    href: "/accounts?barred=no_factor",
  },
}

/** Shown over a page whose requests the service refuses. */
export function BarredDialog({ of: { reason, sentence } }: { of: Barred }) {
  const { title, about = sentence, verb, href } = WAYS[reason]
  const go = () => {
    // The other user must not see what was typed.
    dropDrafts()
    if (href) location.assign(href)
    else location.reload()
  }
  return (
    // Escape does nothing, because the page does not work any more.
    <TopDialog title={title} about={about} onCancel={() => {}}>
      <div className="flex justify-end">
        <Button autoFocus kind="primary" onClick={go}>
          {verb}
        </Button>
      </div>
    </TopDialog>
  )
}
