import { Worker, type WorkerOptions } from 'node:worker_threads'

/** How often a limit is looked at, in ms. */
const LIMIT_CHECK_MS = 50

/** What a thread's messages may do: end the work, or set the limit after which it ends. */
export interface Supervision<Result> {
  readonly end: (result: Result) => void
  readonly fail: (error: Error) => void
  /** Ends the thread once `clock` has gone on by so many seconds. */
  readonly limit: (seconds: number, onReached: () => void) => void
}

/**
 * Runs a program in a thread of its own, which can be stopped: what reads a stranger's file may never end. The thread ends
 * with the promise.
 *
 * @param clock Seconds, by which limits are measured.
 * @param first The limit of a thread that sets none.
 */
export function superviseThread<Message, Result>(
  file: string | URL,
  options: WorkerOptions,
  clock: () => number,
  onMessage: (message: Message, supervision: Supervision<Result>) => void,
  first?: { readonly seconds: number; readonly onReached: (supervision: Supervision<Result>) => void },
): Promise<Result> {
  const thread = new Worker(file, options)
  let timer: NodeJS.Timeout | undefined
  return new Promise<Result>((resolve, reject) => {
    const supervision: Supervision<Result> = {
      end: resolve,
      fail: reject,
      limit(seconds, onReached) {
        const end = clock() + seconds
        clearInterval(timer)
        timer = setInterval(() => clock() >= end && onReached(), LIMIT_CHECK_MS)
      },
    }
    if (first) supervision.limit(first.seconds, () => first.onReached(supervision))
    thread
      .once('error', reject)
      .once('exit', () => reject(new Error('The thread ended without an answer')))
      .on('message', (message: Message) => onMessage(message, supervision))
  }).finally(() => {
    clearInterval(timer)
    return thread.terminate()
  })
}
