import type { ComponentProps } from "react"
import { Icon, type IconName } from "./icon.tsx"

type Kind = "primary" | "plain" | "danger" | "quiet"

const LOOKS: Record<Kind, string> = {
  primary: "border-accent bg-accent text-on-accent enabled:hover:brightness-110",
  plain: "border-edge bg-bg text-text enabled:hover:bg-hover",
  danger: "border-bad bg-bg text-bad enabled:hover:bg-bad-soft",
  quiet: "border-transparent bg-transparent text-muted enabled:hover:bg-hover enabled:hover:text-text",
}

/** The classes of a button, for links that look like one. */
export const buttonLook = (kind: Kind = "plain") =>
  `inline-flex h-8 shrink-0 items-center justify-center gap-2 rounded-md border px-3 font-strong whitespace-nowrap disabled:opacity-60 aria-busy:opacity-60 ${LOOKS[kind]}`

/**
 * `busy`: the action is in progress, and another press does nothing. The button is not `disabled`, because
 * it would lose the focus.
 */
export function Button({
  kind = "plain",
  icon,
  busy = false,
  children,
  className = "",
  onClick,
  ...rest
}: ComponentProps<"button"> & { kind?: Kind; icon?: IconName; busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${buttonLook(kind)} ${className}`}
    >
      {busy ? <Icon name="running" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function IconButton({
  label,
  icon,
  className = "",
  ...rest
}: ComponentProps<"button"> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text disabled:opacity-60 ${className}`}
    >
      <Icon name={icon} />
    </button>
  )
}
