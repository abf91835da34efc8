import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { addressOf } from "../api/call.ts"
import type { FileInfo } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { buttonLook, IconButton } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Id, Time } from "../ui/values.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"
import { UploadFiles } from "./upload-files.tsx"

const curlOf = (space: string) => wholeCurl(`/v1/spaces/${space}/files`, { method: "POST", file: "report.pdf" })

const UNITS = ["bytes", "KiB", "MiB", "GiB"]

/** A size in the largest unit that fits. */
function sizeOf(bytes: number) {
  const unit = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** unit
  return `${value.toLocaleString(undefined, { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${UNITS[unit]}`
}

export function FilesTab({ space }: SpaceTabProps) {
  const { path, query } = useSpaceInput()
  const { offset = 0, test } = useSearch({ from: "/app/spaces/$spaceId" })
  const files = useRead("listFiles", { path, query: { ...query, limit: PAGE_ROWS, offset } })
  const [doomed, setDoomed] = useState<FileInfo | null>(null)
  const columns: Column<FileInfo>[] = [
    {
      title: "File",
      cell: ({ file_id, name }) => (
        <a
          href={addressOf("getFileContent", { path: { ...path, file_id }, query })}
          download={name}
          className="break-all text-accent hover:underline"
        >
          {name}
        </a>
      ),
    },
    { title: "Id", cell: ({ file_id }) => <Id id={file_id} /> },
    { title: "Type", cell: ({ media_type }) => <span className="break-all">{media_type}</span> },
    { title: "Size", right: true, cell: ({ bytes }) => <span className="whitespace-nowrap">{sizeOf(bytes)}</span> },
    {
      title: "Created by",
      cell: ({ turn }) =>
        turn ? (
          <TextLink to="/turns/$turnId" params={{ turnId: turn }} search={{ test }}>
            a turn
          </TextLink>
        ) : (
          "an upload"
        ),
    },
    { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (file) => (
        <span className="inline-flex gap-1">
          <a
            href={addressOf("getFileContent", { path: { ...path, file_id: file.file_id }, query })}
            download={file.name}
            aria-label={`Download ${file.name}`}
            className={`${buttonLook("quiet")} px-2`}
          >
            <Icon name="download" />
          </a>
          {!space.archived && (
            <IconButton does="deleteFile" label={`Delete ${file.name}`} icon="close" onClick={() => setDoomed(file)} />
          )}
        </span>
      ),
    },
  ]
  return (
    <Section title="Files" action={!space.archived && <UploadFiles />}>
      <Read of={files}>
        {({ items, total }) => (
          <>
            <Table
              caption="Files of the space, newest first"
              rows={items}
              rowKey={({ file_id }) => file_id}
              columns={columns}
              stale={files.isPlaceholderData}
              empty={
                <EmptyState title="No files yet" curl={curlOf(space.space_id)}>
                  Upload files to send them with turns. Files that an agent writes appear here too.
                </EmptyState>
              }
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
      {!isChangeable(space) && !space.archived && (
        <p className="text-muted">As a member, you can upload and read files.</p>
      )}
      {doomed && <DeleteFileDialog file={doomed} onClose={() => setDoomed(null)} />}
    </Section>
  )
}

function DeleteFileDialog({ file, onClose }: { file: FileInfo; onClose: () => void }) {
  const { path, query } = useSpaceInput()
  const remove = useChange("deleteFile", { changes: ["listFiles"] })
  const done = () => {
    toast(`${file.name} is deleted.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the file ${file.name}?`}
      about="The file is deleted permanently. Turns that used it keep their results."
      verb="Delete file"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { ...path, file_id: file.file_id }, query }, { onSuccess: done })}
    />
  )
}
