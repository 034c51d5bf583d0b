import { runChild } from './children.ts'
import type { Figure, Subject } from './figures.ts'
import { replayOutcome } from './replay-run.ts'
import { median, ratio, whole } from './statistics.ts'

const EVENTS = 10_000
const ROUNDS = 41
const MOST = 2

/** How fast an account is as it was, against parsing the same texts. */
export const replay: Subject = {
  name: 'replay',
  about: `an account of ${whole(EVENTS)} events, decoded and folded, against JSON.parse of the same data and metadata`,

  async measure(): Promise<readonly Figure[]> {
    const { took } = await runChild('replay', { events: EVENTS, rounds: ROUNDS }, replayOutcome)
    const times = (name: string) => took[name] ?? []
    const inMemory = ratio(times('replay'), times('parse'))
    const fromFile = ratio(times('replay from the file'), times('parse from the file'))
    const ms = (name: string) => `${median(times(name)).toFixed(1)} ms`
    return [
      { what: 'replay, as a multiple of parsing', value: inMemory.text, target: { text: `≤ ${MOST}`, met: inMemory.median <= MOST } },
      { what: 'both with reading from SQLite', value: fromFile.text },
      { what: '  in memory', value: `replay ${ms('replay')}, parse ${ms('parse')}` },
      { what: '  from the file', value: `replay ${ms('replay from the file')}, parse ${ms('parse from the file')}` },
    ]
  },
}
