/** The part of pdfmake that is used here. @types/pdfmake also brings the types of Node. */
declare module "pdfmake/build/pdfmake.min.js" {
  import type { PdfDocument } from "./pdf-document.ts"

  const pdfMake: {
    addFonts(fonts: Record<string, { normal: string | undefined; bold: string | undefined }>): void
    /** True for a URL that a document may load. */
    setUrlAccessPolicy(allows: (url: string) => boolean): void
    createPdf(document: PdfDocument): { getBlob(): Promise<Blob> }
  }
  export default pdfMake
}

declare module "*.ttf?url" {
  const path: string
  export default path
}
