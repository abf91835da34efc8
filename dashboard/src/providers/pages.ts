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
  books: {
    path: "/operator/providers/books",
    title: "Provider's books",
    about: "The cost of each day as providers report it, next to our calls.",
    nav: "Models",
  },
  book: {
    path: "/operator/providers/books/$providerId/$day",
    title: "Day of an account",
    about: "One day of a provider account next to its provider's report.",
    samples: {
      providerId: { list: "/api/admin/provider-books", field: "provider_id" },
      day: { list: "/api/admin/provider-books", field: "day" },
    },
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
