import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { type StorePlace, useStores } from '#test-support/store-suite.ts'
import type { Checkpoint } from '#infra/event-store/event-store.ts'
import {
  type MailJob,
  type Outbox,
  type MailWorkOptions,
  PermanentMailFailure,
  TemporaryMailFailure,
} from './outbox.ts'

/** The promises of every outbox. */
export const outboxConformance = (name: string, prepare: () => Promise<StorePlace<Outbox>>) =>
  describe(name, () => {
    const { open } = useStores(prepare)
    let queue: Outbox
    beforeEach(() => {
      queue = open()
    })

    it('sends each job once, complete, in order, and so many at a time as it is told', async () => {
      const jobs = [job({ kind: 'UserBanned' }), job({ stream: 'account-b', revision: 41 }), job(), job()]
      await queue.enqueue(jobs.slice(0, 3), checkpoint('1'))
      await queue.enqueue(jobs.slice(3), checkpoint('2'))
      let inHand = 0
      let most = 0
      const sent = await workUntil(
        queue,
        { waiting: 0, sent: 4, failed: 0 },
        async () => {
          most = Math.max(most, ++inHand)
          await new Promise((resolve) => setImmediate(resolve))
          inHand--
        },
        ONE_BY_ONE,
      )
      expect(sent).toEqual(jobs)
      expect(most).toBe(1)
    })

    it('begins others beside slow ones, and the urgent ones first', async () => {
      const slow = Array.from({ length: 20 }, () => job())
      const usual = Array.from({ length: 30 }, () => job())
      const link = job({ kind: URGENT_KIND })
      await queue.enqueue(slow, checkpoint('1'))
      const release = deferred()
      const begun: string[] = []
      const worker = startWorker(
        queue,
        async ({ id }) => {
          begun.push(id)
          if (slow.some((each) => each.id === id)) await release.promise
        },
        { atOnce: 5, slowAfter: 50 },
      )
      await vi.waitFor(() => expect(begun).toHaveLength(20), TIMEOUT_MS)
      await queue.enqueue([...usual, link], checkpoint('2'))
      await vi.waitFor(async () => expect(await queue.counts()).toMatchObject({ sent: 31 }), TIMEOUT_MS)
      // Mails that were begun before the link was read may come before it, and a few with it.
      expect(begun.indexOf(link.id)).toBeLessThan(20 + 10)
      release.resolve()
      await waitForCounts(queue, { waiting: 0, sent: 51, failed: 0 })
      await worker.stop()
    })

    it('knows why a mail waits, and when it is tried again', async () => {
      const [waiting, fine] = [job(), job()]
      await queue.enqueue([waiting, fine], checkpoint('1'))
      const failures: unknown[] = []
      const before = Date.now()
      const reason = 'AUTH: 535 5.7.8, it does not accept name and password of SMTP_URL'
      const worker = startWorker(queue, failing(waiting.id, new TemporaryMailFailure(reason)), {
        firstDelay: 40_000,
        onFailure: (failed, failure) => failures.push([failed.id, failure]),
      })
      await waitForCounts(queue, { waiting: 1, sent: 1, failed: 0 })
      await vi.waitFor(async () => expect(await queue.retrying(10)).toHaveLength(1), TIMEOUT_MS)
      await worker.stop()
      const [retrying] = await queue.retrying(10)
      expect(retrying).toMatchObject({ ...waiting, attempts: 1, error: reason })
      const { dueAt = 0 } = retrying ?? {}
      expect(dueAt - before).toBeGreaterThanOrEqual(30_000)
      expect(dueAt - Date.now()).toBeLessThanOrEqual(40_000)
      expect(failures).toEqual([[waiting.id, { error: reason, attempts: 1, dueAt: expect.any(Number) }]])
    })

    it.each([
      ['an hour', 60],
      ['a day', 24 * 60],
      ['six years', 6 * 365 * 24 * 60],
    ])('sends a mail that waits when the clock is set back by %s', async (_, minutes) => {
      const waiting = job()
      await queue.enqueue([waiting], checkpoint('1'))
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
      onTestFinished(() => void vi.useRealTimers())
      const worker = startWorker(queue, failing(waiting.id, refusedConnection, 1), { firstDelay: 10 * 60_000 })
      await vi.waitFor(async () => expect(await queue.retrying(10)).toHaveLength(1), TIMEOUT_MS)
      vi.useRealTimers()
      await waitForCounts(queue, { waiting: 0, sent: 1, failed: 0 })
      await worker.stop()
      expect(worker.tried).toEqual([waiting, waiting])
    })

    it('knows the last checkpoint, also of an enqueue without jobs', async () => {
      expect(await queue.checkpoint()).toBeUndefined()
      await queue.enqueue([job()], checkpoint('{"commit":"7"}'))
      expect(await queue.checkpoint()).toBe('{"commit":"7"}')
      await queue.enqueue([], checkpoint('9'))
      expect(await queue.checkpoint()).toBe('9')
      await queue.close()
      expect(await open().checkpoint()).toBe('9')
    })

    it('queues an id only once, even after it was sent or failed', async () => {
      const [first, second] = [job(), job()]
      await queue.enqueue([first, first, second], checkpoint('1'))
      await queue.enqueue([{ ...first, kind: 'UserBanned' }], checkpoint('2'))
      expect(await queue.counts()).toEqual({ waiting: 2, sent: 0, failed: 0 })
      const worker = startWorker(queue, failing(second.id, noMailbox), ONE_BY_ONE)
      await waitForCounts(queue, { waiting: 0, sent: 1, failed: 1 })
      const last = job()
      await queue.enqueue([first, second, last], checkpoint('3'))
      await waitForCounts(queue, { waiting: 0, sent: 2, failed: 1 })
      await worker.stop()
      expect(worker.tried).toEqual([first, second, last])
    })

    it('wakes for a job queued while it is idle', async () => {
      const worker = startWorker(queue)
      for (const sent of [1, 2, 3]) {
        await queue.enqueue([job()], checkpoint(String(sent)))
        await waitForCounts(queue, { waiting: 0, sent, failed: 0 })
      }
      await worker.stop()
    })

    it('retries a failed job after growing delays without blocking others', async () => {
      const [first, second] = [job(), job()]
      await queue.enqueue([first, second], checkpoint('1'))
      const tries: number[] = []
      const worker = startWorker(
        queue,
        async ({ id }) => {
          if (id === first.id && tries.push(Date.now()) < 4) throw refusedConnection
        },
        { firstDelay: 40 },
      )
      await waitForCounts(queue, { waiting: 0, sent: 2, failed: 0 })
      await worker.stop()
      expect(worker.tried.map(({ id }) => id)).toEqual([first.id, second.id, first.id, first.id, first.id])
      const [one = 0, two = 0, three = 0, four = 0] = tries
      // Up to a quarter of each delay is random.
      expect(two - one).toBeGreaterThanOrEqual(30)
      expect(three - two).toBeGreaterThanOrEqual(60)
      expect(four - three).toBeGreaterThanOrEqual(120)
    })

    it.each([
      ['after the last try', refusedConnection, 3],
      ['at once after a permanent failure', noMailbox, 1],
    ])('gives a job up %s, with its reason', async (_, failure, attempts) => {
      const lost = job()
      await queue.enqueue([lost, job()], checkpoint('1'))
      const tried = await workUntil(queue, { waiting: 0, sent: 1, failed: 1 }, failing(lost.id, failure), {
        attempts: 3,
        firstDelay: 1,
      })
      expect(tried.filter(({ id }) => id === lost.id)).toHaveLength(attempts)
      expect(await queue.failed()).toEqual([{ ...lost, error: failure.message, attempts }])
    })

    it('lists failed jobs with the oldest failure first', async () => {
      const jobs = [job(), job(), job()]
      let last = 0
      const worker = startWorker(
        queue,
        async () => {
          // Failures within one millisecond have no defined order.
          await vi.waitUntil(() => Date.now() > last + 1, { interval: 1 })
          last = Date.now()
          throw noMailbox
        },
        ONE_BY_ONE,
      )
      await queue.enqueue(jobs, checkpoint('1'))
      await waitForCounts(queue, { waiting: 0, sent: 0, failed: 3 })
      await worker.stop()
      expect((await queue.failed()).map(({ id }) => id)).toEqual(jobs.map(({ id }) => id))
    })

    it('stores no mail address from an error', async () => {
      const lost = job()
      await queue.enqueue([lost], checkpoint('1'))
      const refusal = new PermanentMailFailure('550 <jo.lee+x@mail.example>: no mailbox "jo.lee+x@mail.example" here')
      await workUntil(queue, { waiting: 0, sent: 0, failed: 1 }, failing(lost.id, refusal))
      const [failed] = await queue.failed()
      expect(failed?.error).toContain('550')
      expect(failed?.error).not.toMatch(/jo\.lee|mail\.example/)
    })

    it('retries only a failed job, with all its tries', async () => {
      const [lost, fine] = [job(), job()]
      await queue.enqueue([lost, fine], checkpoint('1'))
      expect(await queue.retry(lost.id)).toBe(false)
      const worker = startWorker(queue, failing(lost.id, refusedConnection, 3), { attempts: 2, firstDelay: 1 })
      await waitForCounts(queue, { waiting: 0, sent: 1, failed: 1 })
      expect(await queue.retry(fine.id)).toBe(false)
      expect(await queue.retry(randomUUID())).toBe(false)
      expect(await queue.retry(lost.id)).toBe(true)
      await waitForCounts(queue, { waiting: 0, sent: 2, failed: 0 })
      await worker.stop()
      expect(await queue.failed()).toEqual([])
      expect(await queue.retry(lost.id)).toBe(false)
      expect(worker.tried.filter(({ id }) => id === lost.id)).toHaveLength(4)
    })

    it.each(['stopped', 'closed'] as const)('finishes what it has begun when %s, and starts no other', async (how) => {
      const jobs = [job(), job()]
      await queue.enqueue(jobs, checkpoint('1'))
      const send = deferred()
      const worker = startWorker(queue, () => send.promise, ONE_BY_ONE)
      await vi.waitFor(() => expect(worker.tried).toHaveLength(1), TIMEOUT_MS)
      const ended = how === 'stopped' ? worker.stop() : queue.close()
      send.resolve()
      await ended
      await worker.stop()
      expect(worker.tried).toEqual(jobs.slice(0, 1))
      expect(await open().counts()).toEqual({ waiting: 1, sent: 1, failed: 0 })
    })

    it('starts nothing when it was stopped before', async () => {
      await queue.enqueue([job()], checkpoint('1'))
      const send = vi.fn(async () => {})
      await queue.work(send, { signal: AbortSignal.abort() })
      expect(send).not.toHaveBeenCalled()
    })

    it('keeps its waiting, sent and failed jobs over a restart', async () => {
      const [sent, lost, waiting] = [job(), job(), job()]
      await queue.enqueue([sent, lost], checkpoint('1'))
      await workUntil(queue, { waiting: 0, sent: 1, failed: 1 }, failing(lost.id, noMailbox))
      await queue.enqueue([waiting], checkpoint('2'))
      await queue.close()

      const after = open()
      expect(await after.counts()).toEqual({ waiting: 1, sent: 1, failed: 1 })
      await after.enqueue([sent, lost, waiting], checkpoint('2'))
      expect(await workUntil(after, { waiting: 0, sent: 2, failed: 1 })).toEqual([waiting])
      expect((await after.failed()).map(({ id }) => id)).toEqual([lost.id])
    })

    it('is ready', async () => {
      await expect(open().ready()).resolves.toBeUndefined()
    })
  })

type Counts = Awaited<ReturnType<Outbox['counts']>>
type Send = (job: MailJob) => Promise<void>
type WorkOptions = Omit<MailWorkOptions, 'signal'>

const noMailbox = new PermanentMailFailure('No such mailbox')
const refusedConnection = new Error('Connection refused')
/** The urgent kind of the queues of this suite. */
export const URGENT_KIND = 'PasswordResetRequested'
/** However slow they are. */
const ONE_BY_ONE: WorkOptions = { atOnce: 1, slowAfter: 600_000 }
const TIMEOUT_MS = { timeout: 60_000, interval: 5 }

/** Any text is a checkpoint to an outbox: only the event store reads it. */
export const checkpoint = (text: string) => z.custom<Checkpoint>().parse(text)

/** A promise and its resolve function. */
export function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const job = (given: Partial<MailJob> = {}): MailJob => ({
  id: randomUUID(),
  kind: 'PayoutApproved',
  stream: 'user-a',
  revision: 3,
  ...given,
})

/** A `send` that throws for one id: the first `times`, else always. */
const failing = (id: string, error: Error, times = Infinity) => {
  let failures = 0
  return async (tried: MailJob) => {
    if (tried.id === id && failures++ < times) throw error
  }
}

/** Runs `work` until the jobs are counted so. Returns the jobs that it received. */
async function workUntil(
  queue: Outbox,
  counts: Counts,
  send?: Send,
  options?: WorkOptions,
): Promise<readonly MailJob[]> {
  const worker = startWorker(queue, send, options)
  await waitForCounts(queue, counts)
  await worker.stop()
  return worker.tried
}

async function waitForCounts(queue: Outbox, counts: Counts): Promise<void> {
  await vi.waitFor(async () => expect(await queue.counts()).toEqual(counts), TIMEOUT_MS)
}

/** Runs `work` until stopped, and records the jobs it receives. */
function startWorker(queue: Outbox, send: Send = async () => {}, options: WorkOptions = {}) {
  const abort = new AbortController()
  const tried: MailJob[] = []
  const ended = queue.work(
    (given) => {
      tried.push(given)
      return send(given)
    },
    { ...options, signal: abort.signal },
  )
  return {
    tried,
    stop: () => {
      abort.abort()
      return ended
    },
  }
}
