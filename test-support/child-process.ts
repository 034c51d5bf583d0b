import { spawn } from 'node:child_process'

/** A process that a test or benchmark has started. */
export interface Child {
  readonly pid: number
  /** Whether it still runs. */
  running(): boolean
  /** Its output so far. */
  output(): string
  /** Its outcome, once it has ended and closed its output. */
  readonly finished: Promise<Finished>
  /**
   * Waits for a text in its output and returns the pattern's group.
   *
   * @throws {Error} with its output when it ends before.
   */
  says(pattern: RegExp): Promise<string>
  /** Sends a signal and waits for its end, also of a paused one. Returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Stops it with SIGSTOP until {@link resume}, like a machine that hangs. */
  pause(): void
  resume(): void
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Registers a cleanup for later. */
export type OnEnd = (clean: () => void | Promise<void>) => void

/** Starts a process without input. `onEnd` registers that it is killed, in case it still runs then. */
export function startChild([file = '', ...words]: readonly string[], env: NodeJS.ProcessEnv, onEnd?: OnEnd): Child {
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, stdout, stderr] = ['', '', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
    stderr += text
  })
  // What cannot be started ends at once and says why.
  child.once('error', ({ message }) => (output += message))
  const gone = new Promise<void>((resolve) => child.once('error', () => resolve()).once('exit', () => resolve()))
  const finished = new Promise<Finished>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
  const running = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (running()) {
      child.kill(signal)
      child.kill('SIGCONT')
    }
    await gone
    return child.exitCode
  }
  onEnd?.(async () => void (await end('SIGKILL')))
  return {
    pid: child.pid ?? Number.NaN,
    running,
    output: () => output,
    finished,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const [, found] = pattern.exec(output) ?? []
          if (found === undefined) return
          for (const stream of [child.stdout, child.stderr]) stream.off('data', look)
          resolve(found)
        }
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        look()
        void finished.then(() =>
          reject(
            new Error(
              `It ended with ${child.signalCode ?? child.exitCode} before it printed ${pattern.source}:\n${output}`,
            ),
          ),
        )
      }),
    end,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}
