import type { Source } from './sources/source.ts'

/** A kind of file that is no statement of trades, and what to export instead. */
export interface RefusedFile {
  readonly advice: string
  isThis(source: Source): boolean
}

export const refusedFiles: readonly RefusedFile[] = [
  {
    advice: 'This FTMO file was keyed anew and has no dates: please export the trades in the client area.',
    isThis: ({ kind, rows }) =>
      kind === 'csv' &&
      rows.slice(0, 1).some(({ cells }) => {
        const names = cells.map((cell) => cell.trim().toLowerCase())
        return names[0] === 'ticket' && names[1] === 'open price' && !names.some((name) => /date|time/.test(name))
      }),
  },
]
