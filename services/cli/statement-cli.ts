import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { readStatement } from '#services/trading/statements/server/read-statement.ts'
import { LargeStatement, UnreadableStatement } from '#services/trading/statements/server/unreadable-statement.ts'
import { LARGEST_FILE, type StatementOptions } from '#services/trading/statements/statement-vocabulary.ts'
import { type CommandLine, examples } from './command.ts'

interface Output extends Pick<CommandLine, 'print' | 'fail'> {
  readonly printError: (text: string) => void
}

const TOO_LARGE = 'expected at most 40 MB and 100,000 rows'
/** Lines that are printed at once. */
const LINES_AT_ONCE = 1_000

/** The commands that read statements of platforms, without an installation. */
export function addStatementCommands(program: Command, output: Output): void {
  const statement = program
    .command('statement')
    .description('read statements as platforms write them')
    .addHelpText('after', examples('statement read ReportHistory-70000001.html --zone America/New_York+7'))

  statement
    .command('read')
    .description('print what a statement says, one JSON object a line')
    .argument('<file>', 'a statement: HTML, XLSX or CSV')
    .option('--format <id>', 'the format, where several fit')
    .option('--zone <zone>', 'the time zone, where the file does not say it: America/New_York+7, Europe/Prague')
    .option('--kind <kind>', 'trades, days or transfers')
    .option('--decimal <mark>', 'the decimal mark, where the file does not prove it: . or ,')
    .option('--dates <order>', 'day-first or month-first, where the file does not prove it')
    .addHelpText(
      'after',
      '\nExits with 0 when all was read and the file agrees with itself, with 2 when a row has a fault or a check disagrees,\nand with 1 when the file cannot be read.',
    )
    .addHelpText('after', examples('statement read trades.csv --zone UTC --decimal ,'))
    .action(async (file: string, options: StatementOptions) => {
      await printStatement(file, options, output)
    })
}

async function printStatement(path: string, options: StatementOptions, { print, printError, fail }: Output) {
  try {
    if ((await stat(path)).size > LARGEST_FILE) throw new LargeStatement()
    const { file, rows, checks, hints, says } = readStatement(await readFile(path), options)
    print(JSON.stringify({ file }))
    for (let start = 0; start < rows.length; start += LINES_AT_ONCE)
      print(
        rows
          .slice(start, start + LINES_AT_ONCE)
          .map((row) => JSON.stringify(row))
          .join('\n'),
      )
    print(JSON.stringify({ checks, hints, says }))
    if (rows.some(({ row }) => row === 'fault') || checks.some(({ agrees }) => !agrees)) fail(2)
  } catch (error) {
    if (!(error instanceof UnreadableStatement) && !(error instanceof LargeStatement)) throw error
    fail(1)
    if (error instanceof LargeStatement) printError(`${path}: ${TOO_LARGE}`)
    else
      for (const { field, message } of error.faults)
        printError(field === 'statementFile' || field === 'mapping' ? `${path}: ${message}` : `--${field}: ${message}`)
  }
}
