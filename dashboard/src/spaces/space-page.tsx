import { useParams, useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AccountSpace } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { Status } from "../ui/status.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Id, Time } from "../ui/values.tsx"
import { spacesPages } from "./pages.ts"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"
import type { SpaceTab } from "./words.ts"

const SettingsDialog = lazyPart(() =>
  import("./space-settings.tsx").then((module) => ({ default: module.SpaceSettingsDialog })),
)
const ArchiveDialog = lazyPart(() =>
  import("./space-settings.tsx").then((module) => ({ default: module.ArchiveSpaceDialog })),
)
const Instructions = lazyPart(() => import("./manifest-tab.tsx").then((module) => ({ default: module.ManifestTab })))
const Tools = lazyPart(() => import("./tools-tab.tsx").then((module) => ({ default: module.ToolsTab })))
const Servers = lazyPart(() => import("./mcp-tab.tsx").then((module) => ({ default: module.McpTab })))
const Secrets = lazyPart(() => import("./secrets-tab.tsx").then((module) => ({ default: module.SecretsTab })))
const Versions = lazyPart(() => import("./versions-tab.tsx").then((module) => ({ default: module.VersionsTab })))
const Files = lazyPart(() => import("./files-tab.tsx").then((module) => ({ default: module.FilesTab })))
const Sharing = lazyPart(() => import("./sharing-tab.tsx").then((module) => ({ default: module.SharingTab })))
const RetentionOfSpace = lazyPart(() =>
  import("./retention-tab.tsx").then((module) => ({ default: module.RetentionTab })),
)
const Use = lazyPart(() => import("./use-tab.tsx").then((module) => ({ default: module.UseTab })))

const TABS: [SpaceTab, string, React.ComponentType<SpaceTabProps>][] = [
  ["instructions", "Instructions", Instructions],
  ["tools", "Tools", Tools],
  ["mcp", "MCP servers", Servers],
  ["secrets", "Secrets", Secrets],
  ["versions", "Versions", Versions],
  ["files", "Files", Files],
  ["sharing", "Sharing", Sharing],
  ["retention", "Retention", RetentionOfSpace],
  ["use", "Usage", Use],
]

export function SpacePage() {
  const { spaceId } = useParams({ from: "/app/spaces/$spaceId" })
  const { tab = "instructions", test } = useSearch({ from: "/app/spaces/$spaceId" })
  const space = useRead("getSpace", useSpaceInput())
  return (
    <Page
      title={space.data?.title ?? spacesPages.detail.title}
      about={spacesPages.detail.about}
      above={
        <TextLink to="/spaces" search={{ test }}>
          Spaces
        </TextLink>
      }
      action={space.data && <SpaceActions space={space.data} test={test} />}
    >
      <Read of={space} rows={10}>
        {(space) => (
          <>
            <SpaceLine space={space} />
            <Tabs
              label="Parts of the space"
              value={tab}
              tabs={TABS.filter(([tab]) => tab !== "sharing" || space.role === "owner").map(
                ([value, label, Content]) => ({
                  value,
                  label,
                  content: () => (
                    <Suspense fallback={<Skeleton rows={8} />}>
                      <div key={spaceId} className="flex flex-col gap-5">
                        <Content space={space} />
                      </div>
                    </Suspense>
                  ),
                }),
              )}
            />
          </>
        )}
      </Read>
    </Page>
  )
}

const SpaceLine = ({ space }: { space: AccountSpace }) => (
  <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-muted">
    <Status word={space.archived ? "archived" : "active"} tone={space.archived ? "none" : "ok"} />
    <Id id={space.space_id} />
    <span>Version {space.config_version.toLocaleString()}</span>
    <SpaceModel space={space} />
    <span>
      Your role: {space.role}
      {space.workspace_id && ", shared by a workspace"}
    </span>
    <span>
      Created <Time at={space.created_at} />
    </span>
  </div>
)

/** The model of the space's turns: the manifest's, else one that the API set on the space itself. */
function SpaceModel({ space }: { space: AccountSpace }) {
  const { data } = useRead("getManifest", useSpaceInput())
  const model = data?.model ?? space.model
  return <span>Model: {model ? <code>{model}</code> : "service default"}</span>
}

function SpaceActions({ space, test }: { space: AccountSpace; test: true | undefined }) {
  const [open, setOpen] = useState<"settings" | "archive" | null>(null)
  const close = () => setOpen(null)
  const can = isChangeable(space)
  return (
    <>
      {can && (
        <>
          <Button does="updateSpace" onClick={() => setOpen("settings")}>
            Settings
          </Button>
          <Button does="archiveSpace" kind="quiet" onClick={() => setOpen("archive")}>
            Archive
          </Button>
        </>
      )}
      {!space.archived && (
        <ButtonLink
          does="createChatTurn"
          kind="primary"
          to="/playground"
          search={{ test, space: space.space_id } as never}
        >
          Open in playground
        </ButtonLink>
      )}
      <Suspense>
        {open === "settings" && <SettingsDialog space={space} onClose={close} />}
        {open === "archive" && <ArchiveDialog space={space} onClose={close} />}
      </Suspense>
    </>
  )
}
