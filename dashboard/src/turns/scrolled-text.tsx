import type { ReactNode } from "react"

interface ScrolledProps {
  label: string
  /** Screen readers announce what is added. */
  live?: boolean
  children: ReactNode
}

/** A text with its line breaks, which scrolls if it is long. */
export const ScrolledText = ({ label, live, children }: ScrolledProps) => (
  <section
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    tabIndex={0}
    aria-label={label}
    aria-live={live ? "polite" : undefined}
    className="max-h-[320px] overflow-y-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel p-3"
  >
    {children}
  </section>
)
