import { Suspense, useState } from "react"
import type { Setting } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { PersonName } from "../operator/parts.tsx"
import { PlansTable } from "../subscriptions/plans.tsx"
import { Button } from "../ui/button.tsx"
import { Json } from "../ui/code-block.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { MoneyOfMicros, Time } from "../ui/values.tsx"
import { settingsPages } from "./pages.ts"

const EditSetting = lazyPart(() => import("./setting-edit.tsx").then((file) => ({ default: file.EditSetting })))

export function SettingsPage() {
  const settings = useRead("listSettings")
  const [editing, setEditing] = useState<string | null>(null)
  const setting = settings.data?.items.find(({ key }) => key === editing)
  return (
    <Page
      {...settingsPages.settings}
      action={
        <TextLink to="/operator/audit" search={{ action: "setting.update" }}>
          View changes
        </TextLink>
      }
    >
      <Read of={settings} rows={12}>
        {({ items }) => (
          <ul className="flex flex-col">
            {items.map((item) => (
              <Row key={item.key} of={item} onEdit={() => setEditing(item.key)} />
            ))}
          </ul>
        )}
      </Read>
      {setting && (
        <Suspense>
          <EditSetting of={setting} all={settings.data?.items ?? []} onClose={() => setEditing(null)} />
        </Suspense>
      )}
    </Page>
  )
}

function Row({ of, onEdit }: { of: Setting; onEdit: () => void }) {
  return (
    <li className="grid gap-x-6 gap-y-2 border-line border-b py-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <div className="min-w-0">
        <h2 className="text-sm">
          <code>{of.key}</code>
        </h2>
        <p className="text-muted text-xs">{of.description}</p>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <Value of={of} />
        <span className="flex flex-wrap items-center gap-2 text-muted text-xs">
          {of.version === 0 ? (
            "Default"
          ) : (
            <>
              <span>Version {of.version}, set</span>
              <span>
                <Time at={of.updated_at} />
                {of.updated_by && (
                  <>
                    {" by "}
                    <PersonName of={of.updated_by} />
                  </>
                )}
              </span>
            </>
          )}
        </span>
      </div>
      <div>
        <Button aria-label={`Change ${of.key}`} onClick={onEdit}>
          Change
        </Button>
      </div>
    </li>
  )
}

function Value({ of: { key, value } }: { of: Setting }) {
  if (key === "plans") return <PlansTable plans={value} />
  if (typeof value === "object" && value !== null) return <Json value={value} label={`Value of ${key}`} />
  if (typeof value === "number" && key.endsWith("_micros"))
    return (
      <span>
        <MoneyOfMicros micros={value} /> <span className="text-muted">({value.toLocaleString()} micros)</span>
      </span>
    )
  return (
    <span>
      {typeof value === "number" ? value.toLocaleString(undefined, { maximumFractionDigits: 20 }) : String(value)}
      {key.endsWith("_usd") && " USD"}
      {key.endsWith("_days") && " days"}
    </span>
  )
}
