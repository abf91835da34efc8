import { Menu as BaseMenu } from "@base-ui/react/menu"
import type { OperationId } from "../api/call.ts"
import { Icon, type IconName } from "./icon.tsx"
import { MENU_ITEM, MENU_POPUP } from "./popup-looks.ts"
import { refusalOf, useRights } from "./rights.ts"

interface MenuItem {
  label: string
  onSelect: () => void
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  /** The operation that the action calls. An action that the person's role does not include says so. */
  does?: OperationId
  /** Why this object does not have the action for this person. */
  refusal?: string | null
}

/** A menu of actions of a row or a page. `label` names its button: "Actions of the key Production". */
export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
  const rights = useRights()
  const shown = items.map(({ does, refusal, ...item }) => ({
    ...item,
    refusal: refusalOf(rights, does) ?? refusal ?? undefined,
  }))
  const reasons = [...new Set(shown.flatMap(({ refusal }) => refusal ?? []))]
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger
        aria-label={label}
        title={label}
        className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
      >
        <Icon name="more" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4} className="z-30">
          <BaseMenu.Popup className={MENU_POPUP}>
            {shown.map(({ label, onSelect, icon, danger, disabled, refusal }) => (
              <BaseMenu.Item
                key={label}
                disabled={disabled || refusal !== undefined}
                onClick={onSelect}
                className={`${MENU_ITEM} ${danger ? "text-bad" : ""}`}
              >
                {icon && <Icon name={icon} />}
                {label}
              </BaseMenu.Item>
            ))}
            {reasons.map((reason) => (
              <p key={reason} className="max-w-[240px] border-line border-t px-2 py-1 text-muted text-xs">
                {reason}
              </p>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
