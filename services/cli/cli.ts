import { runCommandLine } from './command-line.ts'

// The program: one command of the command line, in a process of its own.

// Programs such as head stop reading before the end: no error, and the exit code stays.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  isTerminal: process.stdout.isTTY,
  isErrorTerminal: process.stderr.isTTY,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
})
