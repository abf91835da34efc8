import type { ReactNode } from "react"
import { Section } from "../ui/page.tsx"

/** The acts on a turn, at the top of its rail. */
export const TurnActs = ({ children }: { children: ReactNode }) => (
  <Section title="Actions">
    <div className="flex flex-wrap items-start gap-2">{children}</div>
  </Section>
)
