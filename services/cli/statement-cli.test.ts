import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'

const heading = 'Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price;Swap;Commissions;Profit;Pips;Duration'
const row = '5001;2026-11-02 09:10:00;buy;0.1;EURUSD;1.08410;0;0;2026-11-02 09:30:00;1.08535;0;0;12.50;1;1200'

let [folder, path] = ['', '']
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'statement-'))
  path = join(folder, 'trades.csv')
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = async (text: string, ...options: readonly string[]) => {
  writeFileSync(path, text)
  const { code, stdout, stderr } = await runCommand(['statement', 'read', path, ...options], {
    DATA_DIR: join(folder, 'data'),
  })
  return {
    code,
    stderr,
    lines: stdout
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line)),
  }
}

it('prints the file, its rows and its checks, and makes no data folder', async () => {
  const { code, lines, stderr } = await read(`${heading}\n${row}`, '--zone', 'UTC')
  expect([code, stderr]).toEqual([0, ''])
  expect(lines).toMatchObject([
    { file: { format: 'ftmo', zone: { name: 'UTC', from: 'given' } } },
    { line: 2, row: 'trade', profit: '12.50' },
    { checks: [{ agrees: true }], hints: [], says: 'The file agrees with itself' },
  ])
  expect(readdirSync(folder)).toEqual(['trades.csv'])
})

it('exits with 2 for a row with a fault, and for a check that disagrees', async () => {
  expect((await read(`${heading}\n${row}\n${row.replace('12.50', '3O.50')}`, '--zone', 'UTC')).code).toBe(2)
  expect((await read(`${heading}\n${row}\n${row}`, '--zone', 'UTC')).code).toBe(2)
})

it('says on one line each what is missing or wrong, and prints nothing else', async () => {
  const { code, lines, stderr } = await read(`${heading}\n${row}`, '--decimal', ',')
  expect([code, lines]).toEqual([1, []])
  expect(stderr.split('\n').slice(0, -1)).toEqual([
    expect.stringMatching(/^--zone: expected the time zone of the file/),
    expect.stringMatching(/^--decimal: expected "\."/),
  ])
  expect((await read('a,b\n1,2')).stderr).toBe(`${path}: No format fits this file: please say which columns it has.\n`)
  expect((await runCommand(['statement', 'read', join(folder, 'none')], {})).code).toBe(1)
})
