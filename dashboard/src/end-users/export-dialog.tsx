import { useMutation } from "@tanstack/react-query"
import { readError } from "../api/api-error.ts"
import { type Arguments, addressOf } from "../api/call.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { saveFile } from "../ui/save-file.ts"

interface ExportDialogProps {
  endUserRef: string
  input: NonNullable<Arguments<"exportEndUser">[0]>
  onClose: () => void
}

/** Downloads all data of an end user. Not a link, because the service may first ask for a proof of identity. */
export function ExportDialog({ endUserRef, input, onClose }: ExportDialogProps) {
  const read = useMutation({
    mutationFn: async () => {
      const response = await fetch(addressOf("exportEndUser", input))
      if (!response.ok) throw await readError(response)
      saveFile(await response.blob(), `${endUserRef}.json`)
    },
    onSuccess: onClose,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Export ${endUserRef}`}
      about="One JSON file with all turns, texts, files and tasks of the end user. The export is in your audit log."
      actions={
        <>
          <Button kind="primary" busy={read.isPending} onClick={() => read.mutate()}>
            Download
          </Button>
          <DismissButton />
        </>
      }
    >
      {read.error && <ErrorState error={read.error} />}
    </Dialog>
  )
}
