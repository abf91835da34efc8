import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { Checkbox } from "../ui/field.tsx"
import { keep } from "../ui/kept.ts"
import { ROW_KEYS } from "../ui/row-keys.ts"
import { SINGLE_KEYS, useSingleKeys } from "../ui/use-row-keys.ts"

const KEYS = [
  ["Ctrl K", "Finds a page, an action or an id"],
  ["Ctrl Enter", "Sends the text of the playground"],
  ["?", "Shows these keys"],
  ...ROW_KEYS,
] as const

/** Explains the keys of the web app, and turns the single ones off. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const isOn = useSingleKeys()
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keys"
      about="Single keys work outside fields, on pages with a list."
      actions={<DismissButton>Close</DismissButton>}
    >
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] items-center gap-x-4 gap-y-2">
        {KEYS.map(([key, words]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-md border border-edge px-2 py-px font-mono text-xs">{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label="Single keys"
        hint="Turn them off if a speech program types them by mistake."
        checked={isOn}
        onChange={({ target }) => keep(SINGLE_KEYS, target.checked ? null : "off")}
      />
    </Dialog>
  )
}
