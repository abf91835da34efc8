import { Link, useLocation } from "@tanstack/react-router"
import { ALL_PAGES, isOperators } from "./all-pages.ts"

const LINK =
  "flex h-7 items-center rounded-md px-2 text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:font-strong data-[status=active]:text-text"

export function Navigation({ admin }: { admin: boolean }) {
  const { pathname } = useLocation()
  const operators = isOperators(pathname)
  const shown = ALL_PAGES.filter(({ nav, path }) => nav && isOperators(path) === operators)
  const groups = [...new Set(shown.map(({ nav }) => nav))]
  return (
    <nav aria-label="Pages" className="min-h-0 grow overflow-y-auto px-3 pb-4">
      {admin && (
        <div className="mb-2 grid grid-cols-2 gap-1">
          <Area to="/home" label="Account" current={!operators} />
          <Area to="/operator" label="Operator" current={operators} />
        </div>
      )}
      {groups.map((group) => (
        <div key={group} className="mt-3">
          <h2 className="px-2 pb-1 text-muted text-xs">{group}</h2>
          <ul>
            {shown
              .filter(({ nav }) => nav === group)
              .map(({ path, title }) => (
                <li key={path}>
                  <Link
                    to={path}
                    activeOptions={{ exact: hasBelow(path), includeSearch: false }}
                    className={LINK}
                    search={keepTest}
                  >
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const keepTest = ({ test }: { test?: true }) => ({ test })

/** True if the navigation lists pages below this path. Then only an exact match marks its link as current. */
const hasBelow = (path: string) => ALL_PAGES.some((page) => page.nav && page.path.startsWith(`${path}/`))

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
