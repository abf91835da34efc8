import { Outlet, useMatches } from "@tanstack/react-router"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { useRefusal } from "../ui/rights.ts"
import { ALL_PAGES } from "./all-pages.ts"

/** The page of the URL, or a word why the person's role does not include it. */
export function AllowedPage() {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath })
  const page = ALL_PAGES.find((one) => one.path === path)
  const refusal = useRefusal(page?.does)
  if (!page || !refusal) return <Outlet />
  return (
    <Page title={page.title} about={refusal}>
      <TextLink to="/home">Home</TextLink>
    </Page>
  )
}
