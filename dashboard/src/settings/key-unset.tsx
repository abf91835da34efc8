import type { ExternalApiKey } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { toast } from "../ui/toast.tsx"

/** Deletes the stored value of a provider key. */
export function UnsetKey({ of, onClose }: { of: ExternalApiKey; onClose: () => void }) {
  const { key_id, name, providers, last_four } = of
  const catalog = useRead("listModelCatalog")
  const models = catalog.data?.items.filter(({ enabled, engine }) => enabled && providers.includes(engine))
  const change = useChange("unsetExternalApiKey", { changes: ["listExternalApiKeys"] })
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { key_id }, ifMatch },
      {
        onSuccess: () => {
          toast(`${name} has no stored value.`)
          onClose()
        },
      },
    )
  return (
    <ConfirmEdit
      title={`Unset ${key_id}?`}
      about={
        <>
          This deletes the value that ends with {last_four}. The next model call uses the environment variable of its
          worker, if that exists.{" "}
          {models?.length
            ? `Without it, calls of ${models.map(({ label }) => label).join(", ")} fail, unless a provider account serves them.`
            : "No enabled model uses the key."}
        </>
      }
      verb="Unset"
      change={change}
      save={save}
      mine={{ last_four: null }}
      version={of.version}
      onClose={onClose}
    />
  )
}
