import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'

/** The outcome of the work, or an error when it takes longer than so many ms. */
export async function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  createError: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), ms)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

/**
 * Shares one answer with all who ask while it is made, and for so many ms after: however many ask, the server behind it is
 * asked that seldom. A failure is shared, too.
 */
export function shared<Answer>(ms: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined
  let end = Infinity
  return () => {
    if (answer && performance.now() < end) return answer
    end = Infinity
    answer = ask()
    const ended = () => void (end = performance.now() + ms)
    answer.then(ended, ended)
    return answer
  }
}

/** Between half of it and all of it, so that what failed together is not retried together. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}

/** Waits, but no longer than until `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}

/** Does a long work, and lets others have their turn wherever it yields. */
export async function inTurns<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await nextTurn()
  }
}

/** Resolves when `signal` aborts, which it has not done yet. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Does a work at once and then every so many ms, until `signal` aborts. A failure does not end it. */
export async function regularly(
  every: number,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFailure)
    await pause(every, signal)
  }
}

/** Works on all of them, so many at once. */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // The workers share one iterator.
  const next = [...items].values()
  const worker = async () => {
    for (const item of next) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Tracks running work, so that closing can wait for it. */
export function createRunningWork() {
  const running = new Set<Promise<unknown>>()
  return {
    /** Tracks the work until it ends, and returns it. */
    track<Answer>(work: Promise<Answer>): Promise<Answer> {
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
      return work
    },
    /** Waits until all work now running has ended, with success or failure. */
    async settled(): Promise<void> {
      await Promise.allSettled(running)
    },
  }
}
