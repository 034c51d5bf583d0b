/** Places the labels of a chart so that none covers another: the one thing its library does not do. */

/**
 * The first line in which each label has space, undefined where none has: labels are from left to right, [start, end]
 * in px.
 */
export function rowsOf(
  labels: readonly (readonly [start: number, end: number])[],
  lines: number,
): readonly (number | undefined)[] {
  const ends = Array.from({ length: lines }, () => -Infinity)
  return labels.map(([start, end]) => {
    const row = ends.findIndex((taken) => taken <= start)
    if (row === -1) return undefined
    ends[row] = end
    return row
  })
}

/**
 * Heights that are at least `distance` apart and not below `lowest`, each as close as possible to its own, in px from
 * the top.
 */
export function spread(heights: readonly number[], distance: number, lowest: number): readonly number[] {
  const ascending = heights.map((height, index) => ({ height, index })).sort((a, b) => b.height - a.height)
  const result = [...heights]
  let limit = lowest
  for (const { height, index } of ascending) {
    result[index] = Math.min(height, limit)
    limit = (result[index] ?? height) - distance
  }
  return result
}
