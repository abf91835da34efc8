import type { ReactNode } from "react"
import { CodeBlock } from "./code-block.tsx"

interface EmptyStateProps {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** The next step as a command, with the account's own values. */
  curl?: string
}

/** Shown while a list is empty: says what will appear here and how to create it. */
export function EmptyState({ title, children, action, curl }: EmptyStateProps) {
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line border-dashed p-6">
      <h2 className="text-md">{title}</h2>
      {children && <div className="max-w-[72ch] text-muted">{children}</div>}
      {curl && <CodeBlock code={curl} label="The next step as curl" />}
      {action && <div>{action}</div>}
    </div>
  )
}
