import { createLink } from "@tanstack/react-router"
import type { ComponentProps } from "react"
import type { OperationId } from "../api/call.ts"
import { Button, buttonLook } from "./button.tsx"
import { useRefusal } from "./rights.ts"

function Anchor({ does, className = "", ...rest }: ComponentProps<"a"> & { does?: OperationId }) {
  if (useRefusal(does)) return null
  return (
    <a {...rest} className={`text-accent underline decoration-transparent hover:decoration-current ${className}`} />
  )
}

type ButtonAnchorProps = ComponentProps<"a"> & { kind?: "primary" | "plain"; does?: OperationId }

function ButtonAnchor({ kind, does, className = "", ...rest }: ButtonAnchorProps) {
  if (useRefusal(does)) {
    return (
      <Button kind={kind} does={does} className={className}>
        {rest.children}
      </Button>
    )
  }
  return <a {...rest} className={`${buttonLook(kind)} ${className}`} />
}

/** A link to a page of the app: `to`, `params` and `search` are type-checked. Hidden from a role without `does`. */
export const TextLink = createLink(Anchor)

/** A link that looks like a button, for a primary action that opens another page. `does`: as of a button. */
export const ButtonLink = createLink(ButtonAnchor)

/** A link to a page outside the app, such as the reference or a provider's page. */
export function OutLink({ href, children, newTab = false }: { href: string; children: string; newTab?: boolean }) {
  return (
    <Anchor href={href} {...(newTab && { target: "_blank", rel: "noreferrer" })}>
      {children}
    </Anchor>
  )
}
