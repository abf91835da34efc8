import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { AddApiKey } from "./add-api-key.tsx"
import { CodeLogin } from "./code-login.tsx"
import { DeviceLogin } from "./device-login.tsx"
import { providersPages } from "./pages.ts"

export function ProviderSignInPage() {
  const { tab } = useSearch({ from: "/app/admin/operator/providers/sign-in" })
  const { data } = useRead("listProviders")
  const names = (data?.items ?? []).map(({ name }) => name)
  return (
    <Page {...providersPages.signIn} above={<TextLink to="/operator/providers">Provider pools</TextLink>}>
      <Tabs
        label="Login method"
        value={providersPages.signIn.tabs.find((one) => one === tab) ?? "code"}
        tabs={[
          { value: "code", label: "Main pool: login with a code", content: () => <CodeLogin taken={names} /> },
          { value: "device", label: "Alt-pool: login with a device", content: () => <DeviceLogin /> },
          { value: "key", label: "API key", content: () => <AddApiKey /> },
        ]}
      />
    </Page>
  )
}
