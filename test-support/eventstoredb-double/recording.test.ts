import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

/**
 * The double of EventStoreDB answers as a real 24.10.4 did. What that one was asked, and what it answered, lies in
 * recording/: the very questions are put to the double, each group in a process of its own, for some of them end it.
 */
const groups: Record<string, { script: 'probe' | 'faults'; groups: string[] }> = {
  'appends and reads': { script: 'probe', groups: ['fresh', 'features', 'append', 'read'] },
  subscriptions: { script: 'probe', groups: ['subscribe'] },
  checkpoints: { script: 'probe', groups: ['checkpoint'] },
  load: { script: 'probe', groups: ['load'] },
  'being frozen': { script: 'faults', groups: ['freeze'] },
  'being killed': { script: 'faults', groups: ['kill', 'wiped'] },
  'being stopped': { script: 'faults', groups: ['stop'] },
  sizes: { script: 'faults', groups: ['size'] },
  'what is invalid': { script: 'faults', groups: ['invalid'] },
  'a hundred subscriptions': { script: 'faults', groups: ['hundred'] },
}

const recordings = { probe: 'recorded-24.10.4.txt', faults: 'recorded-24.10.4-faults.txt' }
/** Groups whose lines are printed by another. */
const printedBy: Record<string, string> = { exact: 'checkpoint' }

const here = (name: string): string => fileURLToPath(new URL(`recording/${name}`, import.meta.url))

// Some answers are times, which a busy machine makes longer: such a group is asked again.
describe.concurrent('the double of EventStoreDB answers as the recorded server did', { retry: 2, timeout: 300_000 }, () => {
  for (const [name, { script, groups: asked }] of Object.entries(groups))
    it(name, async ({ expect }) => {
      const child = spawn(process.execPath, ['--import', 'tsx', here(`${script}.mjs`), here('control.child.ts'), ...asked], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
      const recorded = linesOf(readFileSync(here(recordings[script]), 'utf8')).filter((line) => asked.includes(groupOf(line)))
      expect(recorded.length).toBeGreaterThan(0)
      expect(linesOf(said)).toEqual(recorded)
    })
})

function linesOf(output: string): string[] {
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

function groupOf(line: string): string {
  const [group = ''] = line.split('/')
  return printedBy[group] ?? group
}
