import { TextLink } from "../ui/link.tsx"
import { Id, UtcDay } from "../ui/values.tsx"
import { configOf, type UsageGroupBy } from "./usage-search.ts"
import { groupWords, kindWords, type UsageNames } from "./use-usage-names.ts"

interface GroupNameProps {
  of: UsageGroupBy
  group: string
  kind: string
  names: UsageNames
  test: true | undefined
}

/** The name of a usage group, with a link if the group has a page. */
export function GroupName({ of, group, kind, names, test }: GroupNameProps) {
  if (kind !== "value") return <span className="text-muted">{kindWords(kind)}</span>
  switch (of) {
    case "day":
      return <UtcDay of={group} />
    case "model":
      return (
        <span className="inline-flex flex-col">
          {names.model.get(group)}
          <code className={`wrap-anywhere ${names.model.has(group) ? "text-muted text-xs" : ""}`}>{group}</code>
        </span>
      )
    case "end_user_ref":
      return (
        <TextLink
          to="/end-users/$endUserRef"
          params={{ endUserRef: group }}
          search={{ test }}
          className="break-all font-mono"
        >
          {group}
        </TextLink>
      )
    case "space":
      return names.space.has(group) ? (
        <TextLink to="/spaces/$spaceId" params={{ spaceId: group }} search={{ test }}>
          {names.space.get(group)}
        </TextLink>
      ) : (
        <Id id={group} href={`/spaces/${group}`} />
      )
    case "key":
      return names.key.has(group) ? (
        <TextLink to="/keys/$keyId" params={{ keyId: group }} search={{ test }}>
          {names.key.get(group)}
        </TextLink>
      ) : (
        <Id id={group} href={`/keys/${group}`} />
      )
    case "config_version":
      return (
        <TextLink to="/spaces/$spaceId" params={{ spaceId: configOf(group).space }} search={{ test, tab: "versions" }}>
          {groupWords(of, group, names)}
        </TextLink>
      )
    default:
      return <span className="break-words">{groupWords(of, group, names)}</span>
  }
}
