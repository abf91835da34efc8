import type { Turn } from "../api/operations.ts"
import { OutLink, TextLink } from "../ui/link.tsx"
import { hintFor } from "./failure-hints.ts"

type TurnError = NonNullable<Turn["error"]>

/** Why a turn failed, with the provider's words. */
export function FailureWords({ error: { code, message, details } }: { error: TurnError }) {
  const facts = [
    details?.status && `HTTP ${details.status}`,
    details?.type,
    details?.file && `file ${details.file}`,
    details?.tool && `tool ${details.tool}`,
    details?.parameter && `parameter ${details.parameter}`,
  ].filter(Boolean)
  return (
    <div className="rounded-md bg-bad-soft p-3 text-bad">
      <code>{code}</code>
      {message && <p className="break-words">{message}</p>}
      {facts.length > 0 && <p className="break-words text-xs">The provider: {facts.join(" · ")}</p>}
    </div>
  )
}

/** Why the owner's turn failed, and what to do about it. */
export function FailedTurn({ turn: { turn_id, space, model }, error }: { turn: Turn; error: TurnError }) {
  const { text, page, guide } = hintFor(error.code)
  return (
    <>
      <FailureWords error={error} />
      <p className="flex flex-wrap gap-x-4 gap-y-1">
        <span>{text}</span>
        {page?.to === "space" && (
          <TextLink to="/spaces/$spaceId" params={{ spaceId: space }}>
            {page.label}
          </TextLink>
        )}
        {page?.to === "playground" && (
          <TextLink does="createChatTurn" to="/playground" search={{ space, model, from: turn_id }}>
            {page.label}
          </TextLink>
        )}
        {page?.to === "balance" && <TextLink to="/balance">{page.label}</TextLink>}
        <OutLink href={guide.href}>{guide.label}</OutLink>
      </p>
    </>
  )
}
