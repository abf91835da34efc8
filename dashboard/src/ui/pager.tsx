import { useNavigate } from "@tanstack/react-router"
import { Button } from "./button.tsx"

/** The default number of rows per page. */
export const PAGE_ROWS = 50

interface OffsetPagerProps {
  offset: number
  limit?: number
  /** The number of entries on all pages, from the API. */
  total: number | undefined
}

/** Pagination with `offset` and `total`; sets `?offset=`. Renders nothing if one page has all entries. */
export function OffsetPager({ offset, limit = PAGE_ROWS, total }: OffsetPagerProps) {
  const navigate = useNavigate()
  if (total === undefined || (total <= limit && offset === 0)) return null
  const go = (to: number) =>
    void navigate({ to: ".", search: ((old: object) => ({ ...old, offset: to > 0 ? to : undefined })) as never })
  return (
    <Pager
      words={`${(total === 0 ? 0 : offset + 1).toLocaleString()}–${Math.min(offset + limit, total).toLocaleString()} of ${total.toLocaleString()}`}
      onBack={offset > 0 ? () => go(Math.max(0, offset - limit)) : undefined}
      onNext={offset + limit < total ? () => go(offset + limit) : undefined}
    />
  )
}

/** Pagination with `next_cursor`; sets `?cursor=`. The browser's Back button opens the previous page. */
export function CursorPager({ cursor, next }: { cursor: string | undefined; next: string | null | undefined }) {
  const navigate = useNavigate()
  if (!cursor && !next) return null
  const go = (to: string | undefined) =>
    void navigate({ to: ".", search: ((old: object) => ({ ...old, cursor: to })) as never })
  return (
    <Pager
      words={cursor ? "Later page" : "Page 1"}
      back="First page"
      onBack={cursor ? () => go(undefined) : undefined}
      onNext={next ? () => go(next) : undefined}
    />
  )
}

interface PagerProps {
  words: string
  back?: string
  onBack: (() => void) | undefined
  onNext: (() => void) | undefined
}

const Pager = ({ words, back = "Previous", onBack, onNext }: PagerProps) => (
  <nav aria-label="Pagination" className="flex items-center justify-end gap-2">
    <span className="text-muted">{words}</span>
    <Button disabled={!onBack} onClick={onBack}>
      {back}
    </Button>
    <Button disabled={!onNext} onClick={onNext}>
      Next
    </Button>
  </nav>
)
