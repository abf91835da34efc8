import type { ReactNode } from "react"

export interface Step {
  title: string
  content: ReactNode
}

/** Shows all steps of a login. `at` is the index of the current step; only that step shows its content. */
export const Steps = ({ steps, at }: { steps: Step[]; at: number }) => (
  <ol className="flex max-w-[640px] flex-col gap-5">
    {steps.map(({ title, content }, index) => (
      <li key={title} aria-current={index === at ? "step" : undefined} className="flex gap-3">
        <span
          aria-hidden="true"
          className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs ${index === at ? "bg-accent text-on-accent" : "bg-hover text-muted"}`}
        >
          {index < at ? "✓" : index + 1}
        </span>
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          <h2 className={`text-md ${index === at ? "" : "text-muted"}`}>{title}</h2>
          {index === at && content}
        </div>
      </li>
    ))}
  </ol>
)
