import type { ReactNode } from "react"
import { Icon } from "./icon.tsx"

/** A line at the top of a page that warns, with links to what the user can do. */
export const Notice = ({ children }: { children: ReactNode }) => (
  <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-2 text-warn">
    <Icon name="warning" />
    {children}
  </p>
)
