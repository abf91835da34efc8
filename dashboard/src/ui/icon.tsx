/** Line icons of 16 px with one path each. They are hidden from screen readers: text or a label is next to them. */
const PATHS = {
  menu: "M2 4h12M2 8h12M2 12h12",
  search: "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  copy: "M6 6V3.5A1.5 1.5 0 0 1 7.5 2h5A1.5 1.5 0 0 1 14 3.5v5a1.5 1.5 0 0 1-1.5 1.5H10M3.5 6h5A1.5 1.5 0 0 1 10 7.5v5A1.5 1.5 0 0 1 8.5 14h-5A1.5 1.5 0 0 1 2 12.5v-5A1.5 1.5 0 0 1 3.5 6Z",
  check: "m3 8.5 3.5 3.5L13 4.5",
  close: "m3.5 3.5 9 9M12.5 3.5l-9 9",
  out: "M9.5 11.5v1a1.5 1.5 0 0 1-1.5 1.5H3.5A1.5 1.5 0 0 1 2 12.5v-9A1.5 1.5 0 0 1 3.5 2H8a1.5 1.5 0 0 1 1.5 1.5v1M6 8h8M11.5 5.5 14 8l-2.5 2.5",
  system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
  light:
    "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  dark: "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7Z",
  warning: "M8 2 1.5 13.5h13ZM8 6.5v3.5M8 11.7v.1",
  error: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  running: "M8 2a6 6 0 1 1-6 6M8 5v3l2 1.5",
  waiting: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5",
  dot: "M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  up: "m4 9.5 4-4 4 4",
  down: "m4 6.5 4 4 4-4",
  left: "m9.5 4-4 4 4 4",
  right: "m6.5 4 4 4-4 4",
  plus: "M8 3v10M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  download: "M8 2v8.5M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.2v.1",
  filter: "M2 4h12M4.5 8h7M6.5 12h3",
  external: "M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13 3 7.5 8.5",
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" ? 2.2 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
