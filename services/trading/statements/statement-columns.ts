/**
 * The headings of a statement as a mapping names them. One that comes several times is numbered, as platforms head both
 * the opening and the close with "Time": "Time (1)", "Time (2)".
 */
export function columnNames(headings: readonly string[]): readonly string[] {
  const seen = new Map<string, number>()
  return headings.map((heading) => {
    const number = (seen.get(heading) ?? 0) + 1
    seen.set(heading, number)
    const isRepeated = heading !== '' && headings.indexOf(heading) !== headings.lastIndexOf(heading)
    return isRepeated ? `${heading} (${number})` : heading
  })
}
