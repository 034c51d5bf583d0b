type Variables = Readonly<Record<string, string | undefined>>

/** A shorter name is another word with two other letters: HOME is not HOST. */
const LONG = 8

/**
 * What is wrong with variables that were probably meant as one of ours: a misspelt one would be ignored, and with it what
 * it protects. An empty one counts as unset.
 *
 * @param known Every variable that the program reads.
 */
export function misspeltVariables(variables: Variables, known: readonly string[]): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (!value || known.includes(name)) return []
    const meant = known
      .map((candidate) => ({ candidate, letters: lettersBetween(name, candidate) }))
      .filter(({ candidate, letters }) => letters <= (candidate.length < LONG ? 1 : 2))
      .toSorted((one, other) => one.letters - other.letters)[0]
    return meant ? [`${name}: there is no such variable. ${meant.candidate} was probably meant`] : []
  })
}

/**
 * How many letters are missing, added, replaced or swapped with their neighbour between two words (optimal string
 * alignment).
 */
function lettersBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Infinity
  let [beforeLast, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, i) => i),
  ]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(last, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, isSwapped ? at(beforeLast, j - 2) + 1 : Infinity)
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, other.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
