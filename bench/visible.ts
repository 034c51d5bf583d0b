import { quantile } from '../test-support/quantile.ts'
import { runChild } from './children.ts'
import type { Figure, Settings, Subject } from './figures.ts'
import { median } from './statistics.ts'
import { type Times, visibleOutcome } from './visible-run.ts'

const CHANGES = 400
const OTHERS = 8

/** How soon what was done can be seen. */
export const visible: Subject = {
  name: 'visible',
  about: 'from the append of a change to its being visible, all in one process',

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    say('changing accounts and looking at them')
    const { alone, loaded } = await runChild('visible', { changes: CHANGES, others: OTHERS, traders: 20 }, visibleOutcome)
    return [...figuresOf('', alone), ...figuresOf(`, ${OTHERS} others changing accounts`, loaded)]
  },
}

function figuresOf(when: string, { shown, answered, durable }: Times): Figure[] {
  const one = median(durable)
  const ms = (values: readonly number[], share: number) => `${quantile(values, share).toFixed(1)} ms (${(quantile(values, share) / one).toFixed(1)} appends)`
  return [
    { what: `the view has it${when}`, value: `p50 ${ms(shown, 0.5)}, p99 ${ms(shown, 0.99)}` },
    { what: `a GET with its position is answered${when}`, value: `p50 ${ms(answered, 0.5)}, p99 ${ms(answered, 0.99)}` },
    { what: `  one durable append${when}`, value: `p50 ${one.toFixed(2)} ms, p99 ${quantile(durable, 0.99).toFixed(2)} ms` },
  ]
}
