import type { ReactNode } from "react"
import { Icon } from "../ui/icon.tsx"

interface StepProps {
  number: number
  title: string
  done: boolean
  open: boolean
  onOpen: () => void
  children: ReactNode
}

/** A step of the checklist. Its title opens it. */
export const ChecklistStep = ({ number, title, done, open, onOpen, children }: StepProps) => (
  <li className="flex gap-3 border-line border-b py-3 last:border-b-0">
    <span
      className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs ${done ? "bg-ok-soft text-ok" : "bg-accent-soft text-accent"}`}
    >
      {done ? <Icon name="check" /> : number}
    </span>
    <div className="flex min-w-0 grow flex-col gap-3">
      <h3 className="leading-6">
        <button type="button" aria-expanded={open} onClick={onOpen} className="w-full text-left hover:text-accent">
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </button>
      </h3>
      {open && children}
    </div>
  </li>
)
