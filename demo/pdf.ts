/** A certificate as a real PDF of one page, in a standard font that every reader has. */
export function certificatePdf({ title, name, lines }: { readonly title: string; readonly name: string; readonly lines: readonly string[] }): Buffer {
  const rows = [
    '0.30 0.25 0.78 RG 2 w 30 30 782 535 re S',
    text(26, 421, 450, 'Proofdesk'),
    text(16, 421, 400, title),
    text(34, 421, 320, name),
    ...lines.map((said, n) => text(13, 421, 250 - n * 22, said)),
  ]
  const content = rows.join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 842 595] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let whole = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const offset = Buffer.byteLength(whole, 'latin1')
    whole += `${n + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = Buffer.byteLength(whole, 'latin1')
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  whole += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
  return Buffer.from(whole, 'latin1')
}

/** A line of text, about centred: Helvetica's letters are half as wide as they are high. */
function text(size: number, middle: number, height: number, said: string): string {
  const left = Math.round(middle - (said.length * size) / 4)
  return `BT /F1 ${size} Tf 0.09 0.1 0.13 rg ${left} ${height} Td (${said.replace(/[\\()]/g, (sign) => `\\${sign}`)}) Tj ET`
}
