import type { ReactNode } from "react"
import { buttonLook } from "./button.tsx"
import { Icon } from "./icon.tsx"

interface DownloadLinkProps {
  href: string
  /** The name of the saved file. Otherwise the service names it. */
  name?: string
  children: ReactNode
}

/** Downloads a file. It looks like a button. */
export const DownloadLink = ({ href, name, children }: DownloadLinkProps) => (
  <a href={href} download={name ?? true} className={buttonLook()}>
    <Icon name="download" />
    {children}
  </a>
)
