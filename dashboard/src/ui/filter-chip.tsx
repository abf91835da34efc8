import { Icon } from "./icon.tsx"

interface FilterChipProps {
  label: string
  /** The value in words. */
  words: string
  onRemove: () => void
}

/** A filter that has a value, with a button that removes it. */
export const FilterChip = ({ label, words, onRemove }: FilterChipProps) => (
  <span className="inline-flex h-8 min-w-0 max-w-[280px] items-center rounded-md border border-line bg-panel pl-2">
    <span className="min-w-0 truncate">
      <span className="text-muted">{label}:</span> {words}
    </span>
    <button
      type="button"
      aria-label={`Remove the filter ${label}`}
      title={`Remove the filter ${label}`}
      onClick={onRemove}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
    >
      <Icon name="close" />
    </button>
  </span>
)
