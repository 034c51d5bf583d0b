import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { superviseThread } from '#infra/supervised-thread.ts'
import type { CommandLine, Terminal } from './command.ts'
import { runCommandLine } from './command-line.ts'

// The program: one command of the command line, in a process of its own.

type Flags = Pick<Terminal, 'isTerminal' | 'isErrorTerminal'>

/** The thread of a command tells the main one. */
type Message =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'limit'; readonly limit: Parameters<CommandLine['limitTime']> }
  | { readonly kind: 'end'; readonly code: number }

const args = process.argv.slice(2)

// A check reads what strangers made, perhaps so that it never ends: it runs in a thread, which can be stopped.
if (!isMainThread) await runInThread(workerData)
else {
  // Programs such as head stop reading before the end: no error, and the exit code stays.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const flags: Flags = { isTerminal: process.stdout.isTTY, isErrorTerminal: process.stderr.isTTY }
  const write = (text: string) => process.stdout.write(text)
  const writeError = (text: string) => process.stderr.write(text)
  const terminal: Terminal = { ...flags, variables: process.env, write, writeError }
  process.exitCode = await (args[0] === 'verify' ? runSupervised(flags, terminal) : runCommandLine(args, terminal))
}

async function runInThread(flags: Flags): Promise<void> {
  const tell = (message: Message) => parentPort?.postMessage(message, [])
  const code = await runCommandLine(args, {
    ...flags,
    variables: process.env,
    write: (text) => tell({ kind: 'output', text }),
    writeError: (text) => tell({ kind: 'error', text }),
    limitTime: (...limit) => tell({ kind: 'limit', limit }),
  })
  tell({ kind: 'end', code })
}

/** Runs the command in a thread of its own. Returns its exit code, or the one of the limit that it passed. */
function runSupervised(flags: Flags, { write, writeError }: Terminal): Promise<number> {
  const seconds = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  }
  const options = { argv: [...args], workerData: flags }
  return superviseThread<Message, number>(
    fileURLToPath(import.meta.url),
    options,
    seconds,
    (message, { end, limit }) => {
      if (message.kind === 'end') return end(message.code)
      if (message.kind !== 'limit') return message.kind === 'output' ? write(message.text) : writeError(message.text)
      const [most, says, code] = message.limit
      limit(most, () => {
        write(`${says}\n`)
        end(code)
      })
    },
  )
}
