import { Command, CommanderError } from 'commander'
import { version } from '#services/process/version.ts'
import type { Terminal } from './command.ts'
import { errorText } from './error-text.ts'
import { addRulesCommands } from './rules-cli.ts'
import { asLines, asOneLine } from './terminal-text.ts'

/** Runs one command: everything an operator does by hand. Returns the exit code. */
export async function runCommandLine(args: readonly string[], output: Terminal): Promise<number> {
  const terminal: Terminal = {
    ...output,
    write: (text) => output.write(asLines(text)),
    writeError: (text) => output.writeError(asLines(text)),
  }
  const print = (text: string): void => terminal.write(`${text}\n`)
  let exitCode = 0
  const fail = (code = 1): void => {
    exitCode = code
  }
  const program = new Command('proofdesk')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.writeError(text),
      // One line, with the command that was probably meant.
      outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} Help: npx proofdesk --help\n`),
    })
    .version(version, '--version', 'print the version')
    .description('The portal a proprietary trading firm runs its funded-trader programme on.')
    .addHelpText(
      'after',
      '\nConfiguration is read from environment variables: see the README.\n\nExamples:\n  $ npx proofdesk start\n  $ npx proofdesk status',
    )

  const printError = (text: string): void => terminal.writeError(`${asOneLine(text)}\n`)
  // The commands for files start in half the time without the server.
  if (args[0] !== 'rules' && args[0] !== 'statement') {
    const { addInstallationCommands } = await import('./installation-commands.ts')
    addInstallationCommands(program, terminal, { print, fail })
  }
  if (args[0] !== 'rules') {
    const { addStatementCommands } = await import('./statement-cli.ts')
    addStatementCommands(program, { print, fail, printError })
  }
  addRulesCommands(program, {
    print,
    fail,
    printError,
    isTerminal: output.isTerminal,
    progress: { isTerminal: output.isErrorTerminal, write: output.writeError },
  })

  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    terminal.writeError(`${errorText(error)}\n`)
    if (output.variables['LOG_LEVEL'] === 'debug' && error instanceof Error) terminal.writeError(`${error.stack}\n`)
    return 1
  }
  return exitCode
}
