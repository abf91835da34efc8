import type { User } from "../api/operations.ts"
import { AccountList } from "../sign-in/account-list.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"

/** Switches to another account of the signed-in person. */
export const AccountsDialog = ({ user, onClose }: { user: User; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    title="Switch the account"
    about="The accounts for which you may act. Other tabs keep theirs."
    actions={<DismissButton>Close</DismissButton>}
  >
    <AccountList user={user} current />
  </Dialog>
)
