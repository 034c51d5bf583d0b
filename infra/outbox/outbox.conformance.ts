import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type StorePlace, useStores } from '../../test-support/store-suite.ts'
import type { Checkpoint } from '../event-store/event-store.ts'
import { type MailJob, type Outbox, type MailWorkOptions, PermanentMailFailure } from './outbox.ts'

/** The promises of every outbox. */
export const outboxConformance = (name: string, prepare: () => Promise<StorePlace<Outbox>>) =>
  describe(name, () => {
    const { open } = useStores(prepare)

    it('sends each job once, complete and in order', async () => {
      const queue = open()
      const jobs = [job({ kind: 'UserBanned' }), job({ stream: 'account-b', revision: 41 }), job(), job()]
      await queue.enqueue(jobs.slice(0, 3), checkpoint('1'))
      await queue.enqueue(jobs.slice(3), checkpoint('2'))
      const worker = startWorker(queue)
      await waitForCounts(queue, { waiting: 0, sent: 4, failed: 0 })
      await worker.stop()
      expect(worker.tried).toEqual(jobs)
    })

    it('sends one job at a time', async () => {
      const queue = open()
      await queue.enqueue([job(), job(), job()], checkpoint('1'))
      let inHand = 0
      let most = 0
      const worker = startWorker(queue, async () => {
        most = Math.max(most, ++inHand)
        await new Promise((resolve) => setImmediate(resolve))
        inHand--
      })
      await waitForCounts(queue, { waiting: 0, sent: 3, failed: 0 })
      await worker.stop()
      expect(most).toBe(1)
    })

    it('knows the last checkpoint, also of an enqueue without jobs', async () => {
      const queue = open()
      expect(await queue.checkpoint()).toBeUndefined()
      await queue.enqueue([job()], checkpoint('{"commit":"7"}'))
      expect(await queue.checkpoint()).toBe('{"commit":"7"}')
      await queue.enqueue([], checkpoint('9'))
      expect(await queue.checkpoint()).toBe('9')
      await queue.close()
      expect(await open().checkpoint()).toBe('9')
    })

    it('queues an id only once, even after it was sent or failed', async () => {
      const queue = open()
      const [first, second] = [job(), job()]
      await queue.enqueue([first, first, second], checkpoint('1'))
      await queue.enqueue([{ ...first, kind: 'UserBanned' }], checkpoint('2'))
      expect(await queue.counts()).toEqual({ waiting: 2, sent: 0, failed: 0 })
      const worker = startWorker(queue, failing(second.id, new PermanentMailFailure('No such mailbox')))
      await waitForCounts(queue, { waiting: 0, sent: 1, failed: 1 })
      const last = job()
      await queue.enqueue([first, second, last], checkpoint('3'))
      await waitForCounts(queue, { waiting: 0, sent: 2, failed: 1 })
      await worker.stop()
      expect(worker.tried).toEqual([first, second, last])
    })

    it('wakes for a job queued while it is idle', async () => {
      const queue = open()
      const worker = startWorker(queue)
      for (const sent of [1, 2, 3]) {
        await queue.enqueue([job()], checkpoint(String(sent)))
        await waitForCounts(queue, { waiting: 0, sent, failed: 0 })
      }
      await worker.stop()
    })

    it('retries a failed job after growing delays without blocking others', async () => {
      const queue = open()
      const [first, second] = [job(), job()]
      await queue.enqueue([first, second], checkpoint('1'))
      const tries: number[] = []
      const worker = startWorker(
        queue,
        async ({ id }) => {
          if (id === first.id && tries.push(Date.now()) < 4) throw new Error('Connection refused')
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

    it('gives a job up after the last try, with its reason', async () => {
      const queue = open()
      const lost = job()
      await queue.enqueue([lost, job()], checkpoint('1'))
      const worker = startWorker(queue, failing(lost.id, new Error('Connection refused')), { attempts: 3, firstDelay: 1 })
      await waitForCounts(queue, { waiting: 0, sent: 1, failed: 1 })
      await worker.stop()
      expect(worker.tried.filter(({ id }) => id === lost.id)).toHaveLength(3)
      expect(await queue.failed()).toEqual([{ ...lost, error: 'Connection refused', attempts: 3 }])
    })

    it('gives a job up at once after a permanent failure', async () => {
      const queue = open()
      const lost = job()
      await queue.enqueue([lost], checkpoint('1'))
      const worker = startWorker(queue, failing(lost.id, new PermanentMailFailure('No such mailbox')))
      await waitForCounts(queue, { waiting: 0, sent: 0, failed: 1 })
      await worker.stop()
      expect(worker.tried).toEqual([lost])
      expect(await queue.failed()).toEqual([{ ...lost, error: 'No such mailbox', attempts: 1 }])
    })

    it('lists failed jobs with the oldest failure first', async () => {
      const queue = open()
      const jobs = [job(), job(), job()]
      let last = 0
      const worker = startWorker(queue, async () => {
        // Failures within one millisecond have no defined order.
        await vi.waitUntil(() => Date.now() > last + 1, { interval: 1 })
        last = Date.now()
        throw new PermanentMailFailure('No such mailbox')
      })
      await queue.enqueue(jobs, checkpoint('1'))
      await waitForCounts(queue, { waiting: 0, sent: 0, failed: 3 })
      await worker.stop()
      expect((await queue.failed()).map(({ id }) => id)).toEqual(jobs.map(({ id }) => id))
    })

    it('stores no mail address from an error', async () => {
      const queue = open()
      const lost = job()
      await queue.enqueue([lost], checkpoint('1'))
      const refusal = new PermanentMailFailure('550 <jo.lee+x@mail.example>: no mailbox "jo.lee+x@mail.example" here')
      const worker = startWorker(queue, failing(lost.id, refusal))
      await waitForCounts(queue, { waiting: 0, sent: 0, failed: 1 })
      await worker.stop()
      const [failed] = await queue.failed()
      expect(failed?.error).toContain('550')
      expect(failed?.error).not.toMatch(/jo\.lee|mail\.example/)
    })

    it('retries only a failed job, with all its tries', async () => {
      const queue = open()
      const [lost, fine] = [job(), job()]
      await queue.enqueue([lost, fine], checkpoint('1'))
      expect(await queue.retry(lost.id)).toBe(false)
      const worker = startWorker(queue, failing(lost.id, new Error('Connection refused'), 3), { attempts: 2, firstDelay: 1 })
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

    it('finishes the current job when stopped, and starts no other', async () => {
      const queue = open()
      const jobs = [job(), job()]
      await queue.enqueue(jobs, checkpoint('1'))
      const send = deferred()
      const worker = startWorker(queue, () => send.promise)
      await vi.waitFor(() => expect(worker.tried).toHaveLength(1), TIMEOUT_MS)
      const stopped = worker.stop()
      send.resolve()
      await stopped
      expect(worker.tried).toEqual(jobs.slice(0, 1))
      expect(await queue.counts()).toEqual({ waiting: 1, sent: 1, failed: 0 })
    })

    it('starts nothing when it was stopped before', async () => {
      const queue = open()
      await queue.enqueue([job()], checkpoint('1'))
      const send = vi.fn(async () => {})
      await queue.work(send, { signal: AbortSignal.abort() })
      expect(send).not.toHaveBeenCalled()
    })

    it('finishes the current job before it closes', async () => {
      const queue = open()
      await queue.enqueue([job(), job()], checkpoint('1'))
      const send = deferred()
      const worker = startWorker(queue, () => send.promise)
      await vi.waitFor(() => expect(worker.tried).toHaveLength(1), TIMEOUT_MS)
      const closed = queue.close()
      send.resolve()
      await closed
      await worker.stop()
      expect(await open().counts()).toEqual({ waiting: 1, sent: 1, failed: 0 })
    })

    it('keeps its waiting, sent and failed jobs over a restart', async () => {
      const before = open()
      const [sent, lost, waiting] = [job(), job(), job()]
      await before.enqueue([sent, lost], checkpoint('1'))
      const first = startWorker(before, failing(lost.id, new PermanentMailFailure('No such mailbox')))
      await waitForCounts(before, { waiting: 0, sent: 1, failed: 1 })
      await first.stop()
      await before.enqueue([waiting], checkpoint('2'))
      await before.close()

      const after = open()
      expect(await after.counts()).toEqual({ waiting: 1, sent: 1, failed: 1 })
      await after.enqueue([sent, lost, waiting], checkpoint('2'))
      const second = startWorker(after)
      await waitForCounts(after, { waiting: 0, sent: 2, failed: 1 })
      await second.stop()
      expect(second.tried).toEqual([waiting])
      expect((await after.failed()).map(({ id }) => id)).toEqual([lost.id])
    })

    it('is ready', async () => {
      await expect(open().ready()).resolves.toBeUndefined()
    })
  })

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
  kind: 'PasswordResetRequested',
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

async function waitForCounts(queue: Outbox, counts: Awaited<ReturnType<Outbox['counts']>>): Promise<void> {
  await vi.waitFor(async () => expect(await queue.counts()).toEqual(counts), TIMEOUT_MS)
}

/** Runs `work` until stopped, and records the jobs it receives. */
function startWorker(queue: Outbox, send: (job: MailJob) => Promise<void> = async () => {}, options: Omit<MailWorkOptions, 'signal'> = {}) {
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
