import { Command, Argument } from 'commander'
import { append } from './append.ts'
import { audit } from './audit.ts'
import { commands } from './commands.ts'
import { type Subject, table } from './figures.ts'
import { pages } from './lighthouse.ts'
import { lists } from './lists.ts'
import { mailQueue } from './mail-queue.ts'
import { projectionMongodb } from './projection-mongodb.ts'
import { projection } from './projection.ts'
import { queryProcesses } from './query-processes.ts'
import { query } from './query.ts'
import { replay } from './replay.ts'
import { usersTable } from './table.ts'
import { visibleApart } from './visible-apart.ts'
import { visible } from './visible.ts'
import { web } from './web.ts'

/** `npm run bench [name…]`: measures, and shows each figure with its target. A missed target is marked, but no error. */

const embedded: readonly Subject[] = [commands, projection, visible, replay, lists, query, web, pages, usersTable, audit]
/** These start servers: they want Go and redis-server, as the tests on servers do. */
const onServers: readonly Subject[] = [append, projectionMongodb, mailQueue, visibleApart, queryProcesses]
const subjects: readonly Subject[] = [...embedded, ...onServers]

const program = new Command('npm run bench --')
  .description('Measures how fast the portal is, each time against a floor in the same run.')
  .addArgument(new Argument('[subject...]', 'what to measure; all without it').choices(subjects.map(({ name }) => name)))
  .option('--profile', 'say where the time goes, too (commands, projection, projection-mongodb, query, web, lighthouse)')
  .addHelpText(
    'after',
    '\nExamples:\n  $ npm run bench\n  $ npm run bench -- commands projection --profile\n  $ BENCH_EVENTS=1000000 npm run bench -- projection',
  )
  .parse()

const { profile = false } = program.opts<{ profile?: true }>()
const wanted = new Set(program.args)

for (const subject of subjects.filter(({ name }) => wanted.size === 0 || wanted.has(name))) {
  say(`Measuring ${subject.name} …`)
  const figures = await subject.measure({ profile, say })
  process.stdout.write(table(subject, figures))
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
