import { Suspense, useState } from "react"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ChoiceFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { GROUPS, groupingLabel, METADATA } from "./usage-search.ts"

const UsageKeysDialog = lazyPart(() =>
  import("./usage-keys-dialog.tsx").then((module) => ({ default: module.UsageKeysDialog })),
)

interface GroupingFilterProps {
  /** Undefined: by day. */
  value: string | undefined
  test: true | undefined
}

/** Groups the report by a dimension or a registered key of metadata, `?group_by=`. A button registers keys. */
export function GroupingFilter({ value, test }: GroupingFilterProps) {
  const registered = useRead("getUsageKeys", { query: { test: test && "true" } })
  const [isOpen, setOpen] = useState(false)
  const keys = registered.data?.keys ?? []
  const groupings = new Set([...keys.map((key) => METADATA + key), ...(value?.startsWith(METADATA) ? [value] : [])])
  return (
    <>
      <ChoiceFilter
        label="Group by"
        name="group_by"
        value={value}
        all="By day"
        clears={["sort", "direction"]}
        options={[...GROUPS.slice(1), ...[...groupings].map((group) => [group, groupingLabel(group)] as const)]}
        read
      />
      <Button does="putUsageKeys" disabled={!registered.data} onClick={() => setOpen(true)}>
        Metadata keys
      </Button>
      <Suspense>{isOpen && <UsageKeysDialog keys={keys} test={test} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
