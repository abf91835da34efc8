import type { ReactNode } from "react"
import { Logo } from "../shell/logo.tsx"
import { ThemeToggle } from "../shell/theme.tsx"
import { TextLink } from "../ui/link.tsx"

/** The frame of the pages that need no session. */
export function PublicFrame({ children, narrow = false }: { children: ReactNode; narrow?: boolean }) {
  return (
    <div className="min-h-dvh">
      <header className="mx-auto flex h-14 max-w-[960px] items-center gap-2 px-4">
        <Logo />
        <b className="grow">
          <TextLink to="/" className="text-text">
            Turnpike
          </TextLink>
        </b>
        <ThemeToggle />
      </header>
      <main className={`mx-auto flex flex-col gap-6 px-4 py-8 ${narrow ? "max-w-[400px]" : "max-w-[960px]"}`}>
        {children}
      </main>
    </div>
  )
}
