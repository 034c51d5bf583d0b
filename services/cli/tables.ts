/** A table for a terminal: a line of headings, then one line a row. Columns are as wide as their content. */
export function formatTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const headings = Object.keys(rows[0] ?? {})
  const cells = [headings, ...rows.map((row) => headings.map((heading) => String(row[heading] ?? '')))]
  const widths = headings.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const isNumber = headings.map((heading) => rows.every((row) => typeof row[heading] === 'number'))
  return cells
    .map((line) =>
      line
        .map((cell, column) =>
          isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n')
}

/** '12 s', '3 min', '5 h', '2 days': how long something is ago, or lasts. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** '2026-11-22 19:50 UTC, 3 min ago' */
export function formatMoment(at: number, now: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC, ${formatAge(now - at)} ago`
}

/** '12.3 GB' */
export function formatBytes(bytes: number): string {
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  return `${(bytes / 1_000 ** power).toFixed(1)} ${units[power - 1]}`
}
