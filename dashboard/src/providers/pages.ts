import type { PageInfo } from "../ui/page-info.ts"

export const providersPages = {
  pools: {
    path: "/operator/providers",
    title: "Provider pools",
    about: "Accounts at the providers of models, and what they have left.",
    nav: "Providers",
  },
  capacity: {
    path: "/operator/providers/capacity",
    title: "Capacity",
    about: "How much of each limit is used, over time.",
    nav: "Providers",
  },
  signIn: {
    path: "/operator/providers/sign-in",
    title: "Add an account",
    about: "Sign in at a provider, in steps.",
    nav: "Providers",
  },
  media: {
    path: "/operator/providers/media",
    title: "Media account",
    about: "The account that makes pictures.",
    nav: "Providers",
  },
} as const satisfies Record<string, PageInfo>
