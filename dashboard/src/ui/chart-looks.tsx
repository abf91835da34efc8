/**
 * The looks of series: tints of the accent colour. Bars also differ by pattern and lines by dashes, for users who
 * cannot tell tints apart. The last look is for "other".
 */
const TINTS = ["var(--accent)", "var(--accent-deep)", "var(--accent-pale)"]
const OTHER = "var(--edge)"

interface LineLook {
  stroke: string | undefined
  strokeDasharray: string | undefined
}

const DASHES = ["", "6 3", "2 3", "8 3 2 3", "12 3", "4 4", "1 4"]

export const lineLook = (index: number): LineLook => ({
  stroke: index < DASHES.length - 1 ? TINTS[index % TINTS.length] : OTHER,
  strokeDasharray: DASHES[index % DASHES.length],
})

/** The patterns between the solid bars, as paths of a tile. */
const TILE = 6
const PATTERNS: Record<string, string> = {
  slanted: "M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2",
  level: "M0,1.5 h6 M0,4.5 h6",
  upright: "M1.5,0 v6 M4.5,0 v6",
}

/** The fill of each series of bars. `id` is that of the chart's patterns. */
export const fillsOf = (id: string) => [
  TINTS[0],
  `url(#${id}-slanted)`,
  TINTS[1],
  `url(#${id}-level)`,
  TINTS[2],
  `url(#${id}-upright)`,
  OTHER,
]

export const Patterns = ({ id }: { id: string }) => (
  <defs>
    {Object.entries(PATTERNS).map(([name, path]) => (
      <pattern key={name} id={`${id}-${name}`} width={TILE} height={TILE} patternUnits="userSpaceOnUse">
        <rect width={TILE} height={TILE} fill="var(--accent-soft)" />
        <path d={path} stroke="var(--accent)" strokeWidth={1.5} />
      </pattern>
    ))}
  </defs>
)
