import { runCommandLine } from './cli/command-line.ts'

// The program: one command of the command line, in a process of its own.
process.exitCode = await runCommandLine(process.argv.slice(2), {
  variables: process.env,
  isTerminal: process.stdout.isTTY,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
})
