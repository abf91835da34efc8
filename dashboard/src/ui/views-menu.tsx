import { Menu as BaseMenu } from "@base-ui/react/menu"
import { useNavigate, useRouteContext, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { pageAccount } from "../api/page-user.ts"
import { readBrowser } from "../api/tab-store.ts"
import { Button, buttonLook } from "./button.tsx"
import { AnswerDialog, DismissButton } from "./dialog.tsx"
import { TextInput } from "./field.tsx"
import { Icon } from "./icon.tsx"
import { keep, useKept } from "./kept.ts"
import { MENU_ITEM, MENU_POPUP } from "./popup-looks.ts"
import { MOST_VIEWS, type SavedView, viewOf, viewsIn, withView } from "./saved-views.ts"
import { toast } from "./toast.tsx"

/** The views of a list that this browser keeps, for each user and account. A change gets the views of that moment. */
function useViews(list: string): [SavedView[], (change: (views: readonly SavedView[]) => SavedView[]) => void] {
  const { user_id } = useRouteContext({ from: "/app" }).user
  const entry = `views.${user_id}.${pageAccount()?.user_id ?? user_id}.${list}`
  const change = (next: (views: readonly SavedView[]) => SavedView[]) => {
    const views = next(viewsIn(readBrowser(entry)))
    keep(entry, views.length > 0 ? JSON.stringify(views) : null)
  }
  return [viewsIn(useKept(entry)), change]
}

/** Saves the filters and the order of a list under a title, opens them again, and copies their link. */
export function ViewsMenu({ list }: { list: string }) {
  const [views, change] = useViews(list)
  const [isSaving, setSaving] = useState(false)
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { test?: true }
  const now = viewOf(search)
  const current = views.find((view) => view.search === now)
  const open = (view: SavedView) =>
    void navigate({
      to: ".",
      search: { ...Object.fromEntries(new URLSearchParams(view.search)), test: search.test } as never,
    })
  const copy = async () => {
    await navigator.clipboard.writeText(`${location.origin}${location.pathname}${now && `?${now}`}`)
    toast("The link is copied.")
  }
  const remove = (view: SavedView) => {
    const { title } = view
    const at = views.indexOf(view)
    change((kept) => kept.filter((one) => one.title !== title))
    toast(`The view "${title}" is removed.`, { undo: () => change((kept) => withView(kept, view, at)) })
  }
  return (
    <>
      <BaseMenu.Root>
        <BaseMenu.Trigger aria-label={current ? `Views: ${current.title}` : "Views"} className={buttonLook("quiet")}>
          <span className="max-w-[180px] truncate">{current?.title ?? "Views"}</span>
          <Icon name="down" />
        </BaseMenu.Trigger>
        <BaseMenu.Portal>
          <BaseMenu.Positioner align="end" sideOffset={4} className="z-30">
            <BaseMenu.Popup className={`${MENU_POPUP} max-w-[320px]`}>
              {views.map((view) => (
                <BaseMenu.Item key={view.title} className={MENU_ITEM} onClick={() => open(view)}>
                  <span className={view === current ? "text-accent" : "opacity-0"}>
                    <Icon name="check" />
                  </span>
                  <span className="min-w-0 truncate">{view.title}</span>
                </BaseMenu.Item>
              ))}
              {views.length > 0 && <BaseMenu.Separator className="my-1 h-px bg-line" />}
              <BaseMenu.Item
                className={MENU_ITEM}
                disabled={views.length >= MOST_VIEWS || current !== undefined}
                onClick={() => setSaving(true)}
              >
                <Icon name="plus" />
                Save this view
              </BaseMenu.Item>
              <BaseMenu.Item className={MENU_ITEM} onClick={() => void copy()}>
                <Icon name="copy" />
                Copy the link
              </BaseMenu.Item>
              {current && (
                <BaseMenu.Item className={`${MENU_ITEM} text-bad`} onClick={() => remove(current)}>
                  <Icon name="close" />
                  Remove this view
                </BaseMenu.Item>
              )}
            </BaseMenu.Popup>
          </BaseMenu.Positioner>
        </BaseMenu.Portal>
      </BaseMenu.Root>
      {isSaving && (
        <SaveView
          onClose={() => setSaving(false)}
          onSave={(title) => {
            change((kept) => withView(kept, { title, search: now }))
            setSaving(false)
          }}
        />
      )}
    </>
  )
}

const MOST_LETTERS = 60

function SaveView({ onClose, onSave }: { onClose: () => void; onSave: (title: string) => void }) {
  const [title, setTitle] = useState("")
  const text = title.trim()
  return (
    <AnswerDialog
      open
      onClose={onClose}
      onSubmit={() => text && onSave(text)}
      title="Save this view"
      about="This browser keeps the filters and the order. A colleague gets the same view by its link."
      actions={
        <>
          <DismissButton />
          <Button kind="primary" type="submit" disabled={text === ""}>
            Save view
          </Button>
        </>
      }
    >
      <TextInput
        label="Title"
        value={title}
        maxLength={MOST_LETTERS}
        onChange={({ target }) => setTitle(target.value)}
      />
    </AnswerDialog>
  )
}
