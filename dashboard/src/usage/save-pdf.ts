import { saveFile } from "../ui/save-file.ts"
import { type PrintedStatement, pdfOf } from "./statement-pdf.ts"

/** Makes the file in the browser, and saves it. */
export async function savePdf(printed: PrintedStatement): Promise<void> {
  const [{ default: pdfMake }, { default: regular }, { default: medium }] = await Promise.all([
    import("pdfmake/build/pdfmake.min.js"),
    import("pdfmake/fonts/Roboto/Roboto-Regular.ttf?url"),
    import("pdfmake/fonts/Roboto/Roboto-Medium.ttf?url"),
  ])
  const [normal, bold] = [regular, medium].map((path) => new URL(path, location.href).href)
  pdfMake.setUrlAccessPolicy((url) => url === normal || url === bold)
  pdfMake.addFonts({ Roboto: { normal, bold } })
  saveFile(await pdfMake.createPdf(pdfOf(printed)).getBlob(), `statement-${printed.document.month}.pdf`)
}
