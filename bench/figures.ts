/** What a subject found out: one line of the table. */
export interface Figure {
  readonly what: string
  readonly value: string
  readonly target?: Target
}

export interface Target {
  readonly text: string
  readonly met: boolean
}

/** What every subject is told. */
export interface Settings {
  /** Say where the time goes, too. */
  readonly profile: boolean
  /** Tells whoever waits what is going on. */
  say(line: string): void
}

/** One question about speed, in a file of its own. */
export interface Subject {
  readonly name: string
  readonly about: string
  measure(settings: Settings): Promise<readonly Figure[]>
}

export function atLeast(value: number, least: number): Target {
  return { text: `≥ ${least}`, met: value >= least }
}

export function below(value: number, limit: number, unit = ''): Target {
  return { text: `< ${limit}${unit}`, met: value < limit }
}

/** The figures with the targets beside them. */
export function table(subject: Subject, figures: readonly Figure[]): string {
  const rows = figures.map(({ what, value, target }) => [what, value, target ? `${target.met ? '✓' : '✗ MISSED'} ${target.text}` : ''] as const)
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length))
  const lines = rows.map(([what, value, target]) => `  ${what.padEnd(width(0))}  ${value.padEnd(width(1))}  ${target}`.trimEnd())
  return `\n${subject.name}: ${subject.about}\n${lines.join('\n')}\n`
}
