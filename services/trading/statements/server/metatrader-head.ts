import type { Source, SourceRow } from './sources/source.ts'

/** What reports of MetaTrader say outside their rows. */

/** Texts behind labels, by the label in small letters and without its colon: `Balance:` and the next cell. */
export function labelledTexts(rows: readonly SourceRow[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { cells } of rows) {
    if (!cells.some((cell) => cell.includes(':'))) continue
    const texts = cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '')
    for (const [index, text] of texts.entries()) {
      const next = texts[index + 1]
      const label = text.slice(0, -1).toLowerCase()
      if (text.endsWith(':') && next !== undefined && !found.has(label)) found.set(label, next)
    }
  }
  return found
}

/** The texts of a row up to the last cell that has one. */
export function textsOf({ cells }: SourceRow): readonly string[] {
  const texts = cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim())
  while (texts.at(-1) === '') texts.pop()
  return texts
}

/** A report of the strategy tester is no history of an account. */
export function isBacktest({ kind, title, rows }: Source): boolean {
  if (kind === 'csv') return false
  return [title ?? '', ...rows.slice(0, 20).flatMap(({ cells }) => cells)].some((text) =>
    /Strategy Tester|тестер\S* стратегий/i.test(text),
  )
}
