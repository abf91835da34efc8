import { Suspense, useState } from "react"
import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Switch } from "../ui/field.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { toast } from "../ui/toast.tsx"

// The menu is half of the page. It loads after the table.
const Menu = lazyPart(() => import("../ui/menu.tsx").then((file) => ({ default: file.Menu })))
const Disable = lazyPart(() => import("./catalog-disable.tsx").then((file) => ({ default: file.DisableModel })))
const Prices = lazyPart(() => import("./catalog-prices.tsx").then((file) => ({ default: file.EditPrices })))
const Learned = lazyPart(() => import("./catalog-learned.tsx").then((file) => ({ default: file.EditLearned })))
const Cancel = lazyPart(() => import("./catalog-cancel-plan.tsx").then((file) => ({ default: file.CancelPlan })))
const Rename = lazyPart(() => import("./catalog-rename.tsx").then((file) => ({ default: file.RenameModel })))

/** Enables a model at once; asks for confirmation before it disables one. */
export function CatalogSwitch({ of }: { of: ModelCatalogRow }) {
  const [asking, setAsking] = useState(false)
  const change = useChange("patchModel", { changes: ["listModelCatalog"] })
  const enable = () =>
    change.mutate(
      { path: { pin: of.pin }, body: { enabled: true }, ifMatch: of.version },
      {
        onSuccess: () => toast(`${of.label} is enabled.`),
        onError: ({ message }) => toast(message, { bad: true }),
      },
    )
  return (
    <>
      <span className="inline-flex [&_label]:text-[0px]">
        <Switch
          label={`${of.label} is enabled`}
          checked={of.enabled}
          disabled={change.isPending}
          onChange={(enabled) => (enabled ? enable() : setAsking(true))}
        />
      </span>
      {asking && (
        <Suspense>
          <Disable of={of} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  )
}

export function CatalogActions({ of }: { of: ModelCatalogRow }) {
  const [open, setOpen] = useState<"prices" | "label" | "learned" | "plan" | null>(null)
  return (
    <>
      <Suspense fallback={<span className="inline-block size-8" />}>
        <Menu
          label={`Actions for ${of.label}`}
          items={[
            { label: "Change prices", onSelect: () => setOpen("prices") },
            ...(of.planned_prices ? [{ label: "Cancel planned prices", onSelect: () => setOpen("plan") }] : []),
            { label: "Change limits", onSelect: () => setOpen("learned") },
            { label: "Rename", onSelect: () => setOpen("label") },
          ]}
        />
      </Suspense>
      <Suspense>
        {open === "prices" && <Prices of={of} onClose={() => setOpen(null)} />}
        {open === "plan" && <Cancel of={of} onClose={() => setOpen(null)} />}
        {open === "learned" && <Learned of={of} onClose={() => setOpen(null)} />}
        {open === "label" && <Rename of={of} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
