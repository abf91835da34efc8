import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Workspace } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Id, Time } from "../ui/values.tsx"
import { workspacesPages } from "./pages.ts"
import { BotOfWorkspace } from "./workspace-bot.tsx"
import { WorkspaceParts } from "./workspace-parts.tsx"

const WorkspaceForm = lazyPart(() => import("./workspace-form.tsx").then((file) => ({ default: file.WorkspaceForm })))
const dialogs = () => import("./workspace-dialogs.tsx")
const AddMember = lazyPart(() => dialogs().then((file) => ({ default: file.AddMember })))
const RemoveMember = lazyPart(() => dialogs().then((file) => ({ default: file.RemoveWorkspaceMember })))
const Archive = lazyPart(() => dialogs().then((file) => ({ default: file.ArchiveWorkspace })))
const route = getRouteApi("/app/admin/operator/workspaces/$workspaceId")

export function WorkspacePage() {
  const { workspaceId } = route.useParams()
  const workspace = useRead("getWorkspace", { path: { workspace_id: workspaceId } })
  const [open, setOpen] = useState<"add" | "edit" | "archive" | number | null>(null)
  const close = () => setOpen(null)
  const { data } = workspace
  return (
    <Page
      title={data?.name ?? workspaceId}
      about={data ? <Facts of={data} /> : workspacesPages.workspace.about}
      above={<TextLink to="/operator/workspaces">Workspaces</TextLink>}
      action={
        data && (
          <>
            <Button onClick={() => setOpen("edit")}>Edit</Button>
            <Button kind={data.archived ? "plain" : "danger"} onClick={() => setOpen("archive")}>
              {data.archived ? "Restore" : "Archive"}
            </Button>
            <Button kind="primary" icon="plus" onClick={() => setOpen("add")}>
              Add a member
            </Button>
          </>
        )
      }
    >
      <Read of={workspace} rows={8}>
        {(data) => (
          <>
            <WorkspaceParts of={data} onRemove={setOpen} />
            <BotOfWorkspace of={data} />
          </>
        )}
      </Read>
      {data && open !== null && (
        <Suspense>
          {open === "add" && <AddMember of={data} onClose={close} />}
          {open === "edit" && <WorkspaceForm of={data} onClose={close} />}
          {open === "archive" && <Archive of={data} onClose={close} />}
          {typeof open === "number" && <RemoveMember of={data} userId={open} onClose={close} />}
        </Suspense>
      )}
    </Page>
  )
}

const Facts = ({ of }: { of: Workspace }) => (
  <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
    <Id id={of.workspace_id} full />
    <Status word={of.archived ? "archived" : "active"} />
    {of.team && (
      <span>
        Team{" "}
        <TextLink to="/operator/teams/$teamId" params={{ teamId: String(of.team.team_id) }}>
          {of.team.name}
        </TextLink>
      </span>
    )}
    <span>
      Changed <Time at={of.updated_at} />
      {of.updated_by && (
        <>
          {" by "}
          <PersonName of={of.updated_by} />
        </>
      )}
    </span>
  </span>
)
