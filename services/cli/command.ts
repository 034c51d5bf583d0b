import type { Dependencies } from '#services/portal/composition-root.ts'

/** The command line reads from its process and writes to it here. */
export interface Terminal {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether people read the output, rather than programs. */
  readonly isTerminal: boolean
  /** Whether people see faults and progress. */
  readonly isErrorTerminal: boolean
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  /** {@link CommandLine.limitTime}, where something can end the command. */
  readonly limitTime?: CommandLine['limitTime']
}

/** A command of the command line uses this besides its arguments. */
export interface CommandLine {
  /** The environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Opens the installation for as long as the work takes. */
  withDependencies(work: (parts: Dependencies) => Promise<void>): Promise<void>
  /**
   * {@link withDependencies} for work that shows or exports what the log says: it is compared first with what was sealed
   * and published of it.
   *
   * @throws {MissingEvents} when the log is shorter, or its streams do not end as they did.
   */
  withComparedLog(work: (parts: Dependencies) => Promise<void>): Promise<void>
  /**
   * {@link withDependencies} for work that decides: it knows the ends of streams that were sealed, so nothing is decided
   * on a stream that lost some.
   *
   * @throws {MissingEvents} when the log is shorter than what was published.
   */
  withDecisions(work: (parts: Dependencies) => Promise<void>): Promise<void>
  print(text: string): void
  /** Says something about the running portal: a line for people on a terminal, a line of its JSON log elsewhere. */
  announce(message: string): void
  /** Reports the progress of long work, apart from its result. */
  printProgress(text: string): void
  /** Prints one row an object. */
  table(rows: readonly Readonly<Record<string, string | number>>[]): void
  /** Lets the command end with this exit code, by default 1, although it runs to its end. */
  fail(code?: number): void
  /**
   * Ends the command, wherever it is, once it has used this much processor time from now on, in seconds: with this text
   * and exit code. A later limit replaces the earlier one.
   */
  limitTime(seconds: number, says: string, code: number): void
  /** For a command that runs until it is stopped: stops gracefully on the first signal, at once on the second. */
  stopOnSignals(stop: () => Promise<void>): void
}

/** The help text with examples of a command. `npx proofdesk` goes before each that does not say it. */
export function examples(...commands: readonly string[]): string {
  const lines = commands.map(
    (command) => `\n  $ ${command.includes('npx proofdesk') ? '' : 'npx proofdesk '}${command}`,
  )
  return `\nExample${commands.length > 1 ? 's' : ''}:${lines.join('')}`
}
