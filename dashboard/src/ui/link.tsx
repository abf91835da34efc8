import { createLink } from "@tanstack/react-router"
import type { ComponentProps } from "react"
import { buttonLook } from "./button.tsx"

const Anchor = ({ className = "", ...rest }: ComponentProps<"a">) => (
  <a {...rest} className={`text-accent underline decoration-transparent hover:decoration-current ${className}`} />
)

const ButtonAnchor = ({ kind, className = "", ...rest }: ComponentProps<"a"> & { kind?: "primary" | "plain" }) => (
  <a {...rest} className={`${buttonLook(kind)} ${className}`} />
)

/** A link to a page of the app: `to`, `params` and `search` are type-checked. */
export const TextLink = createLink(Anchor)

/** A link that looks like a button, for a primary action that opens another page. */
export const ButtonLink = createLink(ButtonAnchor)

/** A link to a page outside the app, such as the reference or a provider's page. */
export function OutLink({ href, children, newTab = false }: { href: string; children: string; newTab?: boolean }) {
  return (
    <Anchor href={href} {...(newTab && { target: "_blank", rel: "noreferrer" })}>
      {children}
    </Anchor>
  )
}
