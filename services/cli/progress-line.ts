/** A terminal, or what stands for one. `process.stderr` is one where people look at it. */
export interface ProgressOutput {
  readonly isTerminal: boolean
  readonly write: (text: string) => void
}

export interface ProgressLine {
  /** Says how much is done, from 0 to 1. */
  show(share: number): void
  /** Removes the line, so that something else can be written. The next {@link show} writes it again. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[2K'

/** One line on a terminal that says how far long work is, as 'Evaluating … 42 %'. Elsewhere nothing is written. */
export function createProgressLine({ isTerminal, write }: ProgressOutput, work: string): ProgressLine {
  let shown: number | null = null
  return {
    show(share) {
      const percent = Math.floor(share * 100)
      if (!isTerminal || percent === shown) return
      shown = percent
      write(`${CLEAR_LINE}${work} … ${percent} %`)
    },
    clear() {
      if (shown !== null) write(CLEAR_LINE)
      shown = null
    },
  }
}
