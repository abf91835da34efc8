import { Tabs as BaseTabs } from "@base-ui/react/tabs"
import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"

interface TabsProps<Value extends string> {
  label: string
  /** The tab from `?tab=`, which the route of the page validates. */
  value: Value
  tabs: readonly { value: Value; label: string; content: () => ReactNode }[]
}

/**
 * Tabs whose selection is in the URL. Other parameters stay, except the page of a list. The first tab needs no `tab`
 * parameter.
 */
export function Tabs<Value extends string>({ label, value, tabs }: TabsProps<Value>) {
  const navigate = useNavigate()
  const choose = (next: Value) =>
    void navigate({
      to: ".",
      search: ((old: object) => ({
        ...old,
        offset: undefined,
        cursor: undefined,
        tab: next === tabs[0]?.value ? undefined : next,
      })) as never,
      resetScroll: false,
    })
  return (
    <BaseTabs.Root value={value} onValueChange={(next) => choose(next as Value)} className="flex flex-col gap-4">
      <BaseTabs.List aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b">
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 shrink-0 border-transparent border-b-2 px-3 text-muted -outline-offset-2 hover:text-text data-active:border-accent data-active:font-strong data-active:text-text"
          >
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value} className="outline-offset-4">
          {tab.value === value && tab.content()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
