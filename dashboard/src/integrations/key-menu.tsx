import type { ApiKey } from "../api/operations.ts"
import { Menu } from "../ui/menu.tsx"
import type { KeyChange } from "./key-dialogs.tsx"

interface KeyMenuProps {
  apiKey: ApiKey
  ask: (change: KeyChange) => void
}

export function KeyMenu({ apiKey, ask }: KeyMenuProps) {
  const isGone = apiKey.revoked_at !== null
  const item = (label: string, kind: KeyChange["kind"]) => ({
    label,
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
