import { Menu as BaseMenu } from "@base-ui/react/menu"
import { Icon, type IconName } from "./icon.tsx"

interface MenuItem {
  label: string
  onSelect: () => void
  icon?: IconName
  danger?: boolean
  disabled?: boolean
}

/** A menu of actions of a row or a page. `label` names its button: "Actions of the key Production". */
export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
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
          <BaseMenu.Popup className="min-w-[160px] rounded-md border border-line bg-raised p-1 shadow-lg outline-none">
            {items.map(({ label, onSelect, icon, danger, disabled }) => (
              <BaseMenu.Item
                key={label}
                disabled={disabled}
                onClick={onSelect}
                className={`flex h-8 items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover data-disabled:opacity-60 ${danger ? "text-bad" : ""}`}
              >
                {icon && <Icon name={icon} />}
                {label}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
