import type { PageInfo } from "../ui/page-info.ts"

export const providersPages = {
  pools: {
    path: "/operator/providers",
    title: "Provider pools",
    about: "Provider accounts, their state and the use of their limits.",
    nav: "Models",
  },
  capacity: {
    path: "/operator/providers/capacity",
    title: "Capacity",
    about: "Use of each provider limit over time.",
    nav: "Models",
  },
  signIn: {
    path: "/operator/providers/sign-in",
    title: "Add an account",
    about: "Log in to a provider account, or add an API key.",
    nav: "Models",
    tabs: ["code", "device", "key"],
  },
  media: {
    path: "/operator/providers/media",
    title: "Media account",
    about: "The provider account that makes pictures.",
    nav: "Models",
  },
} as const satisfies Record<string, PageInfo>
