import type { OperationId } from "../api/call.ts"
import type { ApiKey } from "../api/operations.ts"
import { Menu } from "../ui/menu.tsx"
import { useRights } from "../ui/rights.ts"
import type { KeyChange } from "./key-dialogs.tsx"

interface KeyMenuProps {
  apiKey: ApiKey
  ask: (change: KeyChange) => void
}

const ACTS = { edit: "updateKey", rotate: "rotateKey", revoke: "revokeKey" } as const satisfies Record<
  KeyChange["kind"],
  OperationId
>

const BEYOND = "This key has an owner's rights. Ask an owner of the account."

/** Why the person may not change a key or learn its new value, although others of the account; null: the person may. */
export function useKeyRefusal(apiKey: ApiKey | undefined): string | null {
  const me = useRights()
  return me && me.account_role !== "owner" && apiKey?.role === "owner" ? BEYOND : null
}

export function KeyMenu({ apiKey, ask }: KeyMenuProps) {
  const isGone = apiKey.revoked_at !== null
  const beyond = useKeyRefusal(apiKey)
  const item = (label: string, kind: KeyChange["kind"]) => ({
    label,
    does: ACTS[kind],
    // Every developer may revoke a key.
    refusal: kind === "revoke" ? null : beyond,
    disabled: isGone,
    danger: kind === "revoke",
    onSelect: () => ask({ kind, apiKey }),
  })
  return (
    <Menu
      label={`Actions of the key ${apiKey.name}`}
      items={[item("Edit name and caps", "edit"), item("Rotate", "rotate"), item("Revoke", "revoke")]}
    />
  )
}
