import { useRef } from "react"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { toast } from "../ui/toast.tsx"
import { useSpaceInput } from "./space-parts.ts"

/** Uploads files from this computer, one after the other. */
export function UploadFiles() {
  const { path, query } = useSpaceInput()
  const upload = useChange("uploadFile", { changes: ["listFiles"] })
  const input = useRef<HTMLInputElement>(null)
  const send = async (files: File[]) => {
    try {
      for (const file of files) {
        await upload.mutateAsync({ path, query: { ...query, name: file.name }, body: file })
        toast(`${file.name} is uploaded.`)
      }
    } catch (error) {
      toast((error as Error).message, { bad: true })
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to upload"
        className="sr-only"
        onChange={({ target }) => {
          void send([...(target.files ?? [])])
          target.value = ""
        }}
      />
      <Button does="uploadFile" icon="plus" busy={upload.isPending} onClick={() => input.current?.click()}>
        Upload files
      </Button>
    </>
  )
}
