import { type ComponentProps, useId } from "react"
import type { OperationId } from "../api/call.ts"
import { Icon, type IconName } from "./icon.tsx"
import { useRefusal } from "./rights.ts"
import { Tooltip } from "./tooltip.tsx"

type Kind = "primary" | "plain" | "danger" | "quiet"

const LOOKS: Record<Kind, string> = {
  primary: "border-accent bg-accent text-on-accent enabled:hover:brightness-110",
  plain: "border-edge bg-bg text-text enabled:hover:bg-hover",
  danger: "border-bad bg-bg text-bad enabled:hover:bg-bad-soft",
  quiet: "border-transparent bg-transparent text-muted enabled:hover:bg-hover enabled:hover:text-text",
}

/** The classes of a button, for links that look like one. */
export const buttonLook = (kind: Kind = "plain") =>
  `inline-flex h-8 shrink-0 items-center justify-center gap-2 rounded-md border px-3 font-strong whitespace-nowrap disabled:opacity-60 aria-disabled:opacity-60 ${LOOKS[kind]}`

/** `does`: the operation that the button calls, or leads to. It says why if the person's role does not include it. */
interface Doing {
  does?: OperationId
}

/** A button that does nothing but say why. It is not `disabled`, so that the keyboard reaches it. */
function Refused({
  why,
  type: _type,
  onClick: _onClick,
  children,
  ...rest
}: ComponentProps<"button"> & { why: string }) {
  const id = useId()
  return (
    <Tooltip text={why} focusable={false}>
      <button {...rest} type="button" disabled={false} aria-disabled aria-describedby={id}>
        {children}
      </button>
      <span id={id} hidden>
        {why}
      </span>
    </Tooltip>
  )
}

/**
 * `busy`: the action is in progress, and another press does nothing. The button is not `disabled`, because
 * it would lose the focus.
 */
export function Button({
  kind = "plain",
  icon,
  does,
  busy = false,
  children,
  className = "",
  onClick,
  ...rest
}: ComponentProps<"button"> & Doing & { kind?: Kind; icon?: IconName; busy?: boolean }) {
  const refusal = useRefusal(does)
  const look = `${buttonLook(kind)} ${className}`
  if (refusal) {
    return (
      <Refused {...rest} why={refusal} className={look}>
        {icon && <Icon name={icon} />}
        {children}
      </Refused>
    )
  }
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={look}
    >
      {busy ? <Icon name="running" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export function IconButton({
  label,
  icon,
  does,
  className = "",
  ...rest
}: ComponentProps<"button"> & Doing & { label: string; icon: IconName }) {
  const refusal = useRefusal(does)
  const look = `inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted enabled:hover:bg-hover enabled:hover:text-text disabled:opacity-60 aria-disabled:opacity-60 ${className}`
  if (refusal) {
    return (
      <Refused aria-label={label} why={refusal} className={look}>
        <Icon name={icon} />
      </Refused>
    )
  }
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={look}>
      <Icon name={icon} />
    </button>
  )
}
