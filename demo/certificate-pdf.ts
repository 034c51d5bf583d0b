/**
 * The certificate of a phase as a real PDF of one page, in a standard font that every reader has. `at` is in ms since
 * 1970.
 */
export function certificatePdf(phase: string, name: string, at: number): Buffer {
  const content = [
    '0.30 0.25 0.78 RG 2 w 30 30 782 535 re S',
    text(26, 450, 'Proofdesk'),
    text(16, 400, `Certificate: ${phase} passed`),
    text(34, 320, name),
    text(13, 250, `has passed ${phase} of the funded-trader programme.`),
    text(13, 228, `Issued on ${new Date(at).toISOString().slice(0, 10)}`),
  ].join('\n')
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
function text(size: number, height: number, line: string): string {
  const left = Math.round(421 - (line.length * size) / 4)
  return `BT /F1 ${size} Tf 0.09 0.1 0.13 rg ${left} ${height} Td (${line.replace(/[\\()]/g, (sign) => `\\${sign}`)}) Tj ET`
}
