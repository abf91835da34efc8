import { createLink } from "@tanstack/react-router"
import type { ComponentProps } from "react"
import { buttonLook } from "./button.tsx"

const Anchor = ({ className = "", ...rest }: ComponentProps<"a">) => (
  <a {...rest} className={`text-accent underline decoration-transparent hover:decoration-current ${className}`} />
)

const ButtonAnchor = ({ kind, className = "", ...rest }: ComponentProps<"a"> & { kind?: "primary" | "plain" }) => (
  <a {...rest} className={`${buttonLook(kind)} ${className}`} />
)

/** A link to a page of the app: `to`, `params` and `search` are checked. */
export const TextLink = createLink(Anchor)

/** The same as a button: a page's primary action that leads to another page. */
export const ButtonLink = createLink(ButtonAnchor)

/** A link out of the app: the reference, a provider's page. */
export function OutLink({ href, children, newTab = false }: { href: string; children: string; newTab?: boolean }) {
  return (
    <Anchor href={href} {...(newTab && { target: "_blank", rel: "noreferrer" })}>
      {children}
    </Anchor>
  )
}
