import { TextLink } from "../ui/link.tsx"

export const SpaceLink = ({ space_id, title, slug }: { space_id: number; title: string; slug: string }) => (
  <span className="inline-flex flex-col">
    <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: String(space_id) }}>
      {title}
    </TextLink>
    <code className="text-muted text-xs">{slug}</code>
  </span>
)

export const OwnerLink = ({ owner_id }: { owner_id: number }) => (
  <TextLink to="/operator/users/$userId" params={{ userId: String(owner_id) }}>
    {String(owner_id)}
  </TextLink>
)
