/** A document of pdfmake, with the parts that are used here. Sizes and margins are in points. */
export interface PdfDocument {
  info: { title: string }
  pageSize: "A4"
  pageMargins: Margin
  defaultStyle: Style
  styles: Record<string, Style>
  footer: (page: number, pages: number) => PdfContent
  content: PdfContent[]
}

/** Left, top, right, bottom; or horizontal, vertical. */
type Margin = [number, number, number, number] | [number, number]

interface Style {
  font?: "Roboto"
  fontSize?: number
  lineHeight?: number
  bold?: boolean
  color?: string
  alignment?: "right"
  margin?: Margin
}

export interface PdfCell extends Style {
  text: string
  style?: string
  noWrap?: boolean
}

export type PdfContent =
  | string
  | PdfCell
  | { stack: PdfContent[] }
  | ({ columns: PdfContent[]; columnGap?: number } & Style)
  | { table: PdfTable; layout: "noBorders" | "lightHorizontalLines" }

interface PdfTable {
  headerRows?: number
  widths: ("auto" | "*")[]
  body: (string | PdfCell)[][]
}
