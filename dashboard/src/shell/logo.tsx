/** The sign of the service, as in `public/favicon.svg`. It is drawn here, so that it needs no request. */
export const Logo = () => (
  <svg aria-hidden="true" viewBox="0 0 32 32" width="20" height="20" className="shrink-0">
    <rect width="32" height="32" rx="7" fill="#3d4ed8" />
    <path
      d="M7 10h18M16 10v14M9 17l7-7 7 7"
      fill="none"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)
