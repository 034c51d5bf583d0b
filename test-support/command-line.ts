import { runCommandLine } from '#services/cli/command-line.ts'
import type { Finished } from './child-process.ts'

/** Runs a command of the command line in this process, which takes a fraction of the time of a process of its own. */
export async function runCommand(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Finished> {
  let [stdout, stderr] = ['', '']
  const code = await runCommandLine(command, {
    variables,
    isTerminal: true,
    isErrorTerminal: false,
    write: (text) => (stdout += text),
    writeError: (text) => (stderr += text),
  })
  return { code, stdout, stderr }
}
