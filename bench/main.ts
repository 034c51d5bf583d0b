import { loadavg } from 'node:os'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { dashboard, imports, whatIf, whatIfOfTrades } from './accounts.ts'
import { against } from './against.ts'
import { audit, exports } from './audit.ts'
import { commands, sealing } from './commands.ts'
import { type Subject, table } from './figures.ts'
import { batches, payouts } from './payouts.ts'
import { projection } from './projection.ts'
import { reads } from './reads.ts'
import { rounds } from './rounds.ts'
import { rules } from './rules.ts'
import { statements } from './statements.ts'
import { web } from './web.ts'

/**
 * `npm run bench -- [subject…]`: measures and prints each figure beside its goal. A missed goal is marked but is no
 * error.
 */

const subjects: readonly Subject[] = [
  commands,
  payouts,
  batches,
  imports,
  dashboard,
  whatIf,
  whatIfOfTrades,
  reads,
  projection,
  rounds,
  audit,
  sealing,
  exports,
  rules,
  statements,
  web,
  against,
]

const program = new Command('npm run bench --')
  .description('Measures how fast the portal is; docs/performance.md explains the figures.')
  .addArgument(
    new Argument('[subject...]', 'what to measure; everything by default').choices(subjects.map(({ name }) => name)),
  )
  .option('--users <count>', 'users, or payouts, in lists', count, 100_000)
  .option('--events <count>', 'events in a rebuild', count, 100_000)
  .option('--commit <commit>', 'an earlier commit, for the subject against')
  .addHelpText(
    'after',
    `
Examples:
  $ npm run bench
  $ npm run bench -- reads projection --users 1000000 --events 1000000
  $ npm run bench -- against --commit bebf812`,
  )
  .parse()

const options = program.opts<{ users: number; events: number; commit?: string }>()
if (program.args.includes(against.name) && options.commit === undefined)
  program.error('error: against needs an earlier commit: --commit <commit>')
const isWanted = (subject: Subject) =>
  program.args.length > 0 ? program.args.includes(subject.name) : subject !== against || options.commit !== undefined
for (const subject of subjects.filter(isWanted)) {
  say(`Measuring ${subject.name} …`)
  process.stdout.write(table(subject, await subject.measure({ ...options, say })))
  say(
    `Load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  )
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a number.')
  return Number(text)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
