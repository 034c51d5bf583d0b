import type { AuditState } from '#services/oversight/audit/audit-api.ts'
import {
  type ExportVerification,
  type ProvenExport,
  type RefusedExport,
  verifyExport,
} from '#services/oversight/audit/export-verification.ts'

/** Checks files in a worker, which can be stopped. */

/** What a check says, without the function that no message carries. */
export type Checked = RefusedExport | ProvenExport

type Request =
  | { readonly kind: 'check'; readonly text: string; readonly trusted: readonly string[] }
  | { readonly kind: 'state'; readonly count: number }
type Answer =
  | { readonly kind: 'checked'; readonly checked: Checked }
  | { readonly kind: 'state'; readonly count: number; readonly state: AuditState }
  | { readonly kind: 'failed'; readonly name: string }

/** A check takes longer than it may. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
}

/** Answers the page, in the worker. */
export function serveChecks(): void {
  let last: ExportVerification | undefined
  const answer = async (request: Request): Promise<Answer> => {
    if (request.kind === 'state') {
      if (last?.outcome !== 'genuine') throw new Error('Nothing was checked')
      return { kind: 'state', count: request.count, state: last.stateAfter(request.count) }
    }
    last = await verifyExport(request.text, request.trusted)
    if (last.outcome !== 'genuine') return { kind: 'checked', checked: last }
    const { stateAfter: _stateAfter, ...checked } = last
    return { kind: 'checked', checked }
  }
  addEventListener('message', ({ data }: MessageEvent<Request>) => {
    answer(data).then(
      (answered) => postMessage(answered),
      (error: unknown) => postMessage({ kind: 'failed', name: error instanceof Error ? error.name : '' }),
    )
  })
}

/** Checks one file. */
export type Checker = ReturnType<typeof createChecker>

export function createChecker() {
  const script = new Blob([document.querySelector('script')?.textContent ?? ''], { type: 'text/javascript' })
  const address = URL.createObjectURL(script)
  const worker = new Worker(address)
  let waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let [checking, ended] = [false, false]
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => waiting?.resolve(data))
  worker.addEventListener('error', () => waiting?.reject(new Error('The worker failed')))

  const end = (): void => {
    ended = true
    worker.terminate()
    URL.revokeObjectURL(address)
  }

  /** One request after another. @param seconds It may take so many; null for any. @throws {TooLong} */
  const ask = (request: Request, seconds: number | null): Promise<Answer> => {
    const asked = queue.then(() => {
      const stop = () => {
        end()
        waiting?.reject(new TooLong())
      }
      const timer = seconds === null ? undefined : setTimeout(stop, seconds * 1_000)
      const answered = new Promise<Answer>((resolve, reject) => {
        waiting = { resolve, reject }
        worker.postMessage(request, [])
      })
      return answered.finally(() => clearTimeout(timer))
    })
    queue = asked.catch(() => undefined)
    return asked
  }

  return {
    end,
    hasEnded: () => ended,
    isBusy: () => checking,
    /** @param seconds The check may take so many; null for any. @throws {TooLong} */
    async check(text: string, trusted: readonly string[], seconds: number | null): Promise<Checked> {
      checking = true
      const answer = await ask({ kind: 'check', text, trusted }, seconds).finally(() => (checking = false))
      if (answer.kind === 'checked') return answer.checked
      throw new Error('The file could not be checked')
    },
    /** The account after so many entries of the file that was checked. */
    async stateAfter(count: number): Promise<AuditState> {
      const answer = await ask({ kind: 'state', count }, null)
      if (answer.kind === 'state') return answer.state
      throw new Error('The account could not be made')
    },
  }
}
