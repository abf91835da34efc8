import { Menu as BaseMenu } from "@base-ui/react/menu"
import type { ReactNode } from "react"
import { buttonLook } from "./button.tsx"
import type { ColumnFacts } from "./columns.ts"
import { Icon } from "./icon.tsx"
import { MENU_ITEM, MENU_POPUP } from "./popup-looks.ts"
import { isShown, type TableLook, withColumn } from "./table-look.ts"

interface DisplayMenuProps {
  /** The content of the table. */
  caption: string
  columns: readonly ColumnFacts[]
  look: TableLook
  onChange: (look: TableLook) => void
}

/** Chooses the columns and the density of a table. The first column and the actions always stay. */
export function DisplayMenu({ caption, columns, look, onChange }: DisplayMenuProps) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger aria-label={`Display: ${caption}`} className={buttonLook("quiet")}>
        Display
        <Icon name="down" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4} className="z-30">
          <BaseMenu.Popup className={MENU_POPUP}>
            <BaseMenu.Group>
              <GroupLabel>Columns</GroupLabel>
              {columns
                .filter(({ actions }, index) => index > 0 && !actions)
                .map((column) => (
                  <Ticked
                    key={column.title}
                    checked={isShown(column, look)}
                    onChange={(is) => onChange(withColumn(look, column, is))}
                  >
                    {column.title}
                  </Ticked>
                ))}
            </BaseMenu.Group>
            <BaseMenu.Group>
              <GroupLabel>Rows</GroupLabel>
              <Ticked checked={look.isCompact} onChange={(isCompact) => onChange({ ...look, isCompact })}>
                Compact
              </Ticked>
            </BaseMenu.Group>
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

const GroupLabel = ({ children }: { children: string }) => (
  <BaseMenu.GroupLabel className="px-2 py-1 text-muted text-xs">{children}</BaseMenu.GroupLabel>
)

interface TickedProps {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

const Ticked = ({ checked, onChange, children }: TickedProps) => (
  <BaseMenu.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={MENU_ITEM}>
    <span className={checked ? "text-accent" : "opacity-0"}>
      <Icon name="check" />
    </span>
    {children}
  </BaseMenu.CheckboxItem>
)
