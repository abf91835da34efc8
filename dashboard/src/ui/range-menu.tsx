import { Popover } from "@base-ui/react/popover"
import { useState } from "react"
import { Button, buttonLook } from "./button.tsx"
import { dayOfInstant, nextDay, startOfDate } from "./days.ts"
import { TextInput } from "./field.tsx"
import { Icon } from "./icon.tsx"
import { PANEL } from "./popup-looks.ts"

export interface RangePreset {
  label: string
  /** The parameters of the URL that choose it. */
  search: Record<string, string | number | undefined>
}

export interface RangeMenuProps {
  /** The chosen range in words. */
  shown: string
  presets: readonly RangePreset[]
  onPreset: (preset: RangePreset) => void
  /** The ends of a range by dates, and the handler that changes them. Without it, there are only presets. */
  dates?: {
    from: string | undefined
    to: string | undefined
    onChange: (from: string | undefined, to: string | undefined) => void
  }
}

/** One control for the time of a list or a report: presets, or two dates. */
export function RangeMenu({ shown, presets, onPreset, dates }: RangeMenuProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger aria-label={`Period (UTC): ${shown}`} className={buttonLook()}>
        {shown}
        <Icon name="down" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="start" sideOffset={4} className="z-30">
          <Popover.Popup aria-label="Period (UTC)" className={`${PANEL} flex w-[280px] flex-col gap-3`}>
            <div className="flex flex-col">
              {presets.map((preset) => (
                <button
                  key={preset.label}
                  type="button"
                  aria-pressed={preset.label === shown}
                  onClick={() => {
                    onPreset(preset)
                    setOpen(false)
                  }}
                  className="h-8 rounded-md px-2 text-left hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:font-strong aria-pressed:text-accent"
                >
                  {preset.label}
                </button>
              ))}
            </div>
            {dates && (
              <DatesForm
                {...dates}
                onChange={(from, to) => {
                  dates.onChange(from, to)
                  setOpen(false)
                }}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Two dates, each part of the range. An empty one leaves its end open. */
function DatesForm({ from, to, onChange }: NonNullable<RangeMenuProps["dates"]>) {
  const [first, setFirst] = useState(from ? dayOfInstant(from) : "")
  const [last, setLast] = useState(to ? dayOfInstant(to, -1) : "")
  const isWrong = first !== "" && last !== "" && last < first
  return (
    <form
      aria-label="Dates"
      className="flex flex-col gap-3 border-line border-t pt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWrong) onChange(first ? startOfDate(first) : undefined, last ? nextDay(last) : undefined)
      }}
    >
      <TextInput label="From (UTC)" type="date" value={first} onChange={({ target }) => setFirst(target.value)} />
      <TextInput
        label="To (UTC)"
        type="date"
        value={last}
        error={isWrong ? "It is before the start." : undefined}
        onChange={({ target }) => setLast(target.value)}
      />
      <Button type="submit">Use these dates</Button>
    </form>
  )
}
