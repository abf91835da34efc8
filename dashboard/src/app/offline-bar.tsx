import { Icon } from "../ui/icon.tsx"
import { useOnline } from "../ui/online.ts"

/** Shown while the browser is offline. */
export function OfflineBar() {
  if (useOnline()) return null
  return (
    <p role="status" className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-warn sm:px-6">
      <Icon name="warning" />
      You are offline. Pages are loaded when you are connected again. Nothing that you send now is sent later.
    </p>
  )
}
