import { Link, useLocation } from "@tanstack/react-router"
import { useState } from "react"
import { Icon } from "../ui/icon.tsx"
import { refusalOf, useRights } from "../ui/rights.ts"
import { ALL_PAGES, type AreaPage, isOperators } from "./all-pages.ts"

const LINK =
  "flex h-7 items-center rounded-md px-2 text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:font-strong data-[status=active]:text-text"

/** The pages of an account, or the pages of operators in sections. One section is open. */
export function Navigation({ admin }: { admin: boolean }) {
  const { pathname } = useLocation()
  const operators = isOperators(pathname)
  const rights = useRights()
  const shown = ALL_PAGES.filter(
    ({ nav, path, does }) => nav && isOperators(path) === operators && !refusalOf(rights, does),
  )
  const groups = [...new Set(shown.map(({ nav }) => nav as string))]
  const pagesOf = (group: string) => shown.filter(({ nav }) => nav === group)
  return (
    <nav aria-label="Pages" className="min-h-0 grow overflow-y-auto px-3 pb-4">
      {admin && (
        <div className="mb-2 grid grid-cols-2 gap-1">
          <Area to="/home" label="Account" current={!operators} />
          <Area to="/operator" label="Operator" current={operators} />
        </div>
      )}
      {operators ? (
        <Sections groups={groups} pagesOf={pagesOf} pathname={pathname} />
      ) : (
        groups.map((group) => (
          <div key={group} className="mt-3">
            <h2 className="px-2 pb-1 text-muted text-xs">{group}</h2>
            <Pages pages={pagesOf(group)} />
          </div>
        ))
      )}
    </nav>
  )
}

interface SectionsProps {
  groups: readonly string[]
  pagesOf: (group: string) => AreaPage[]
  pathname: string
}

/** One open section: the one of the page, until the user opens another. So all sections fit a window of 900 px. */
function Sections({ groups, pagesOf, pathname }: SectionsProps) {
  const current = groupOf(pathname)
  const [chosen, setChosen] = useState<{ at: string; group: string | null } | null>(null)
  // The choice ends with the next page.
  const open = chosen?.at === pathname ? chosen.group : current
  return groups.map((group) => (
    <div key={group} className="mt-1">
      <h2>
        <button
          type="button"
          aria-expanded={open === group}
          onClick={() => setChosen({ at: pathname, group: open === group ? null : group })}
          className={`flex h-8 w-full items-center justify-between rounded-md px-2 text-left hover:bg-hover ${group === current ? "font-strong" : "font-normal text-muted"}`}
        >
          {group}
          <Icon name={open === group ? "up" : "down"} />
        </button>
      </h2>
      {open === group && <Pages pages={pagesOf(group)} />}
    </div>
  ))
}

/** The listed page that leads to a page: the one with the longest path. */
const listedOf = (pathname: string) =>
  ALL_PAGES.filter(({ nav, path }) => nav && (pathname === path || pathname.startsWith(`${path}/`))).sort(
    (a, b) => b.path.length - a.path.length,
  )[0]

const groupOf = (pathname: string) => listedOf(pathname)?.nav

function Pages({ pages }: { pages: readonly AreaPage[] }) {
  const { pathname } = useLocation()
  const current = listedOf(pathname)?.path
  return (
    <ul>
      {pages.map(({ path, title }) => (
        <li key={path}>
          <Link
            to={path}
            activeOptions={{ exact: path !== current, includeSearch: false }}
            className={LINK}
            search={keepTest}
          >
            {title}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const keepTest = ({ test }: { test?: true }) => ({ test })

function Area({ to, label, current }: { to: string; label: string; current: boolean }) {
  return (
    <Link
      to={to}
      aria-current={current ? "true" : undefined}
      className={`flex h-7 items-center justify-center rounded-md ${current ? "bg-accent-soft font-strong text-accent" : "text-muted hover:bg-hover"}`}
    >
      {label}
    </Link>
  )
}
