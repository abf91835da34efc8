import { Popover } from "@base-ui/react/popover"
import type { ReactNode } from "react"
import { buttonLook } from "./button.tsx"
import { Icon } from "./icon.tsx"
import { PANEL } from "./popup-looks.ts"

/** All filters of a list, in one panel that opens from the button "Filter". */
export const FilterMenu = ({ children }: { children: ReactNode }) => (
  <Popover.Root>
    <Popover.Trigger className={buttonLook()}>
      <Icon name="filter" />
      Filter
    </Popover.Trigger>
    <Popover.Portal>
      <Popover.Positioner align="start" sideOffset={4} className="z-30">
        <Popover.Popup aria-label="Filter" className={`${PANEL} flex w-[320px] flex-col gap-3`}>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  </Popover.Root>
)
