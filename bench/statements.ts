import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mt5, written } from '#test-support/statements/fixtures.ts'
import { dealsOf, mt5Html, type Mt5Report, mt5Xlsx } from '#test-support/statements/metatrader-5.ts'
import { below, type Figure, median, type Settings, type Subject } from './figures.ts'
import { runCommand, scratchFolder } from './programs.ts'

const TRADES = 10_000
const ROUNDS = 5
/** In s and MB. */
const GOALS = { html: 1.5, xlsx: 3, memory: 300 }
const MINUTE = 60_000

/** How fast a statement is read: from its bytes to the rows that are printed. */
export const statements: Subject = {
  name: 'statements',
  about: `\`statement read\` of a MetaTrader 5 report with ${TRADES} trades, as a process of its own`,

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const folder = scratchFolder('statements')
    const report = reportOf(TRADES)
    const seenOf = async (name: string, bytes: Uint8Array) => {
      const file = join(folder, name)
      writeFileSync(file, bytes)
      const words = ['statement', 'read', file, '--zone', 'America/New_York+7']
      const times: number[] = []
      let most = 0
      for (let round = 0; round < ROUNDS; round++) {
        const { ms, memory } = await runCommand(words, folder, { outputIsDropped: true })
        times.push(ms / 1000)
        most = Math.max(most, memory)
      }
      say(`${name}: ${times.map((time) => time.toFixed(2)).join(', ')} s`)
      return { seconds: median(times), most, size: `${(bytes.length / 1e6).toFixed(1)} MB` }
    }
    const html = await seenOf('report.html', mt5Html(report))
    const xlsx = await seenOf('report.xlsx', mt5Xlsx(report))
    return [
      below('HTML in UTF-16, with the start', GOALS.html, html.seconds, 's', html.size),
      below('  its peak memory', GOALS.memory, html.most, 'MB'),
      below('XLSX, with the start', GOALS.xlsx, xlsx.seconds, 's', xlsx.size),
      below('  its peak memory', GOALS.memory, xlsx.most, 'MB'),
    ]
  },
}

/** A trade every five minutes of a winter, of three symbols, with costs and some fees. */
function reportOf(trades: number): Mt5Report {
  const at = (minute: number) =>
    new Date(Date.UTC(2026, 0, 5) + minute * MINUTE).toISOString().slice(0, 19).replace('T', ' ')
  const positions = Array.from({ length: trades }, (_, index) =>
    written({
      id: String(500_000 + index),
      symbol: ['EURUSD', 'XAUUSD', 'GBPJPY'][index % 3] ?? '',
      opened: at(index * 5),
      closed: at(index * 5 + 25),
      profit: `${(index % 200) - 90}.37`,
      commission: '-0.70',
      fee: index % 10 === 0 ? '-0.05' : '0.00',
    }),
  )
  const deposit = {
    id: '9001',
    login: mt5.login,
    at: at(-60),
    type: 'balance',
    amount: '100000.00',
    comment: 'Deposit',
  }
  return { ...mt5, positions, deals: dealsOf(positions, [deposit]) }
}
