import type { ReactNode } from "react"

interface PageProps {
  title: string
  /** One sentence that describes the page. */
  about?: ReactNode
  /** The primary action. */
  action?: ReactNode
  /** Breadcrumbs: links to the parent pages. */
  above?: ReactNode
  children?: ReactNode
}

/** The layout of every page: title, one sentence, primary action, content. */
export function Page({ title, about, action, above, children }: PageProps) {
  return (
    <div className="flex flex-col gap-5">
      <title>{`${title} · Turnpike`}</title>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {above && (
            <nav aria-label="Breadcrumbs" className="text-muted text-xs">
              {above}
            </nav>
          )}
          <h1 className="break-words text-lg">{title}</h1>
          {about && <p className="max-w-[72ch] text-muted">{about}</p>}
        </div>
        {action && <div className="flex flex-wrap gap-2">{action}</div>}
      </header>
      {children}
    </div>
  )
}

/** A section of a page with its own heading. */
export function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-3">
        <h2 className="text-md">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  )
}
