import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock, maximumLoss, on, type Written } from '#test-support/rules.ts'
import { runCommandLine } from './command-line.ts'

// Spaces at the end of lines make a file long without making it slow.
const PADDING = ' '.repeat(9_000)
const LINES = 1_200
const CLEAR_LINE = '\r\u001b[2K'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-progress-'))
  const stage = { name: 'Phase 1', funded: false, rules: [maximumLoss()] }
  const day = { zone: 'UTC', startsAt: '00:00' }
  const terms = { name: 'One', currency: 'USD', accountSize: '100000.00', day, breaches: 'proposed', stages: [stage] }
  writeFileSync(join(folder, 'programme.json'), JSON.stringify(terms))
  const lines = Array.from({ length: LINES }, (_, index) => JSON.stringify(clock(minute(index))))
  writeFileSync(join(folder, 'short.jsonl'), lines.join('\n'))
  writeFileSync(join(folder, 'long.jsonl'), lines.map((line) => line + PADDING).join('\n'))
  const faulty: Written = { ...clock(minute(0)), kind: 'wish' }
  writeFileSync(
    join(folder, 'faulty.jsonl'),
    [...lines, JSON.stringify(faulty)].map((line) => line + PADDING).join('\n'),
  )
})
afterAll(() => rm(folder, { recursive: true }))

describe('progress of rules evaluate', () => {
  it('is one line on a terminal, which is gone at the end', async () => {
    const { code, stdout, stderr } = await evaluate('long.jsonl', { isErrorTerminal: true })
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, LINES])
    const [before, ...written] = stderr.split(CLEAR_LINE)
    expect([before, written.pop()]).toEqual(['', ''])
    const percents = written.map((text) => Number(/^Evaluating … (\d+) %$/.exec(text)?.[1]))
    expect(percents).toEqual([...new Set(percents)].toSorted((one, other) => one - other))
    expect(percents.filter((percent) => percent < 50).length).toBeGreaterThan(10)
    expect(percents.some((percent) => percent > 50)).toBe(true)
  })

  it('ends before the first line where lines are printed on a terminal, too', async () => {
    const { written } = await evaluate('long.jsonl', { isErrorTerminal: true, isTerminal: true })
    const firstLine = written.findIndex((text) => text.startsWith('{'))
    expect(written[firstLine - 1]).toBe(CLEAR_LINE)
    expect(written.slice(firstLine).filter((text) => text.includes('Evaluating'))).toEqual([])
  })

  it('leaves faults on lines of their own', async () => {
    const { code, stdout, stderr } = await evaluate('faulty.jsonl', { isErrorTerminal: true })
    expect([code, stdout]).toEqual([1, ''])
    const fault = `${join(folder, 'faulty.jsonl')}:${LINES + 1}: kind: expected "kind" to be one of`
    expect(stderr).toContain(`${CLEAR_LINE}${fault}`)
    expect(stderr.endsWith('\n') || stderr.endsWith(CLEAR_LINE)).toBe(true)
  })

  it('is not shown for short files, nor where no terminal shows it', async () => {
    expect((await evaluate('short.jsonl', { isErrorTerminal: true })).stderr).toBe('')
    expect((await evaluate('long.jsonl', { isTerminal: true })).stderr).toBe('')
  })
})

function minute(index: number): string {
  return on(1 + Math.floor(index / 60), `12:${String(index % 60).padStart(2, '0')}`)
}

async function evaluate(
  file: string,
  {
    isTerminal = false,
    isErrorTerminal = false,
  }: { readonly isTerminal?: boolean; readonly isErrorTerminal?: boolean },
) {
  const [output, errors, written]: [string[], string[], string[]] = [[], [], []]
  const code = await runCommandLine(['rules', 'evaluate', join(folder, 'programme.json'), join(folder, file)], {
    variables: {},
    isTerminal,
    isErrorTerminal,
    write: (text) => written.push(text) && output.push(text),
    writeError: (text) => written.push(text) && errors.push(text),
  })
  return { code, stdout: output.join(''), stderr: errors.join(''), written }
}
