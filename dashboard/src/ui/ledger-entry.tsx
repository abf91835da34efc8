import { wordsOf } from "../api/code-words.ts"
import type { AdminLedgerEntry } from "../api/operations.ts"
import { LedgerEntryRules } from "../api/rules.ts"
import { ChoiceFilter } from "./filter-bar.tsx"

type Named = Pick<AdminLedgerEntry, "reason" | "bucket" | "actor" | "note">

/** The actors that owners see, which a reason names already. Operators also see who booked the entry. */
const NAMED: readonly string[] = LedgerEntryRules.actor.words

function nameOf({ reason, bucket }: Pick<Named, "reason" | "bucket">): string {
  if (bucket === "refunded") return "refund of a turn"
  return reason === "usage" ? "charge of a turn" : wordsOf(reason)
}

/** An entry of a ledger in words, with its codes on hover: why it was booked, its note, and who booked it. */
export const LedgerEntryName = ({ of }: { of: Named }) => (
  <span className="inline-flex flex-col" title={[of.reason, of.bucket, of.actor].filter(Boolean).join(" · ")}>
    {nameOf(of)}
    {of.note && <span className="break-words text-muted text-xs">{of.note}</span>}
    {!NAMED.includes(of.actor) && <span className="text-muted text-xs">by {of.actor}</span>}
  </span>
)

/** Reasons and buckets of a ledger whose plain words do not say what they are. */
const LEDGER_WORDS: Record<string, string> = {
  usage: "turns",
  free: "granted credit",
  bonus: "bonus credit",
  paid: "purchased credit",
  refunded: "refunds",
  spent: "charges",
}

const choicesIn = <Code extends string>(codes: readonly Code[]) =>
  codes.map((code): [Code, string] => [code, LEDGER_WORDS[code] ?? wordsOf(code)])

interface LedgerFiltersProps {
  reason: string | undefined
  bucket: string | undefined
  /** The words of the operation that reads the ledger. */
  query: { reason: { words: readonly string[] }; bucket: { words: readonly string[] } }
}

export const LedgerFilters = ({ reason, bucket, query }: LedgerFiltersProps) => (
  <>
    <ChoiceFilter
      label="Reason"
      name="reason"
      value={reason}
      all="All reasons"
      options={choicesIn(query.reason.words)}
    />
    <ChoiceFilter
      label="Bucket"
      name="bucket"
      value={bucket}
      all="All buckets"
      options={choicesIn(query.bucket.words)}
    />
  </>
)
