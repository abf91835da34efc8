import type { ContainerMapping } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { TextLink } from "../ui/link.tsx"
import { toast } from "../ui/toast.tsx"

/** Removes the mapping of a space to a container. */
export function RemoveMapping({ of, onClose }: { of: ContainerMapping; onClose: () => void }) {
  const { space, container, enabled } = of
  const change = useChange("removeContainerMapping", { changes: ["listContainerMappings", "getSystem"] })
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { space, container }, ifMatch },
      {
        onSuccess: () => {
          toast(`${container} was removed. The change takes effect with the next turn.`)
          onClose()
        },
      },
    )
  return (
    <ConfirmEdit
      title={`Remove ${container} of ${space}?`}
      about={
        <>
          This also deletes its headers.{" "}
          {enabled && (
            <>
              <TextLink to="/operator/turns" search={{ space }}>
                Turns of the space
              </TextLink>{" "}
              that wait or are queued continue without the tools of the container.{" "}
            </>
          )}
          Its past use stays in bills and reports.
        </>
      }
      verb="Remove"
      change={change}
      save={save}
      mine={{ enabled: null }}
      version={of.version}
      onClose={onClose}
    />
  )
}
