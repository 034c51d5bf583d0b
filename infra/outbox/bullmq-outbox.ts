import { type Job, Queue, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import type { Redis as Client } from 'ioredis'
import { z } from 'zod'
import { type Checkpoint, toCheckpoint } from '#infra/event-store/event-store.ts'
import { aborted, createRunningWork, regularly, withTimeout } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'
import { PREFIX, type Redis, script, writeSomething } from '#infra/redis/redis-connection.ts'
import {
  CheckpointMoved,
  type FailedMail,
  type MailJob,
  type Outbox,
  type OutboxOptions,
  type MailWorkOptions,
  PermanentMailFailure,
  type RetryingMail,
} from './outbox.ts'
import { ATTEMPTS, retryDelay, FIRST_DELAY, failureReasonOf, LONGEST_DELAY } from './outbox-retries.ts'
import { createSendingGate, MOST_AT_ONCE } from './sending-gate.ts'

const PART = 'mail queue'
const NAME = 'mail'

/**
 * BullMQ queues an id once only while it holds the job. So sent jobs are dropped, and the ids of all jobs ever queued
 * are kept separately, at about 90 bytes each. Sent jobs are kept for a while too: a process killed between queueing
 * and recording the ids queues again.
 */
const SENT_KEPT = { age: 60 * 60, count: 10_000 }

const LOCK = 15_000
/** How often a worker looks for jobs that the clock, set back, has moved far away, in ms. */
const CLOCK_CHECK_MS = 5_000
/** BullMQ orders delayed jobs by their time in ms, times this. */
const DELAYED_SCALE = 0x1000
/** BullMQ begins jobs of priority 0 before any other. */
const URGENT = 0
const USUAL = 1
/** How long a stop waits for Redis to store the last outcome, in ms. */
const CLOSE_TIMEOUT_MS = 3_000
/** How long BullMQ may take to initialize on an open connection, in ms. */
const OPENING = 2_000

/** Returns the indexes of the new ids, or 'moved' when the checkpoint is another one. */
const findNew = script(`
local checkpoint, ever = KEYS[1], KEYS[2]
if ARGV[1] == 'expect' and (redis.call('GET', checkpoint) or '') ~= ARGV[2] then return 'moved' end
local new = {}
for index = 3, #ARGV do
  if redis.call('SISMEMBER', ever, ARGV[index]) == 0 then new[#new + 1] = index - 3 end
end
return new`)

/** Records the queued ids and the checkpoint, unless another process continued meanwhile. */
const record = script(`
local checkpoint, ever = KEYS[1], KEYS[2]
if ARGV[1] == 'expect' and (redis.call('GET', checkpoint) or '') ~= ARGV[2] then return 'moved' end
for index = 4, #ARGV do redis.call('SADD', ever, ARGV[index]) end
redis.call('SET', checkpoint, ARGV[3])
return 'recorded'`)

/** A consistent count of jobs that wait, failed, and were ever queued. */
const count = script(`
local ever, wait, paused, active, delayed, prioritized, failed = unpack(KEYS)
local waiting = redis.call('LLEN', wait) + redis.call('LLEN', paused) + redis.call('LLEN', active)
  + redis.call('ZCARD', delayed) + redis.call('ZCARD', prioritized)
return { waiting, redis.call('ZCARD', failed), redis.call('SCARD', ever) }`)

const newIndexes = z.union([z.literal('moved'), z.array(z.int())])
const recordOutcome = z.enum(['moved', 'recorded'])
const jobCounts = z.tuple([z.int(), z.int(), z.int()])
const jobContent = z.object({ kind: z.string(), stream: z.string(), revision: z.int() })
type JobContent = z.infer<typeof jobContent>

export interface BullMqOptions extends OutboxOptions {
  /** The prefix of every key. */
  readonly prefix?: string
  /** Receives errors in the background, which are retried. */
  readonly onError?: (error: Error) => void
  /** A worker without a sign of life for this long, in ms, counts as dead; its job is restarted. */
  readonly lock?: number
}

/**
 * An outbox in Redis, with BullMQ. Redis may lose its data: then {@link Outbox.checkpoint} is undefined, and an
 * `enqueue` that follows a lost checkpoint is refused.
 */
export function openBullMqOutbox(
  redis: Redis,
  { prefix = PREFIX, onError = () => {}, lock = LOCK, urgentKinds = [] }: BullMqOptions = {},
): Outbox {
  const priorityOf = (kind: string) => (urgentKinds.includes(kind) ? URGENT : USUAL)
  const delayedKey = `${prefix}:${NAME}:delayed`
  const keys = { checkpoint: `${prefix}:${NAME}-checkpoint`, ever: `${prefix}:${NAME}-ever-queued` }
  const closing = new AbortController()
  const working = createRunningWork()
  let queue: Queue<JobContent> | undefined
  /** That queue, once it is initialized. */
  let initialized: Queue<JobContent> | undefined
  /** The last known checkpoint; '' for none, undefined before the first read. */
  let known: string | undefined
  /** Calls of `enqueue` run one after the other. */
  let last: Promise<unknown> = Promise.resolve()
  /** Counts calls of `enqueue`, so that a checkpoint read during one is not taken for newer. */
  let enqueued = 0

  const run: Redis['run'] = (part, commands) =>
    redis.run(part, (client) => (closing.signal.aborted ? Promise.reject(new Error('It is closed')) : commands(client)))

  /** BullMQ's queue on the shared connection, once it is initialized; recreated after a failed initialization. */
  const usingQueue = async (client: Client): Promise<Queue<JobContent>> => {
    if (initialized) return initialized
    const opened =
      queue ?? new Queue<JobContent>(NAME, { connection: client, prefix, streams: { events: { maxLen: 100 } } })
    if (!queue) opened.on('error', onError)
    queue = opened
    try {
      await answerWithin(opened.waitUntilReady(), OPENING)
      if (queue === opened) initialized = opened
      return opened
    } catch (error) {
      if (queue === opened) queue = undefined
      void opened.close().catch(onError)
      throw error
    }
  }

  /** Returns false, and records nothing, when the checkpoint is not the last known one. */
  const enqueue = async (client: Client, jobs: readonly MailJob[], checkpoint: Checkpoint): Promise<boolean> => {
    enqueued += 1
    const expected = known === undefined ? ['any', ''] : ['expect', known]
    const indexes = newIndexes.parse(
      await findNew.run(client, Object.values(keys), [...expected, ...jobs.map(({ id }) => id)]),
    )
    if (indexes === 'moved') return false
    const added = indexes.flatMap((index) => jobs[index] ?? [])
    if (added.length > 0)
      await (await usingQueue(client)).addBulk(added.map((job) => bullJob(job, priorityOf(job.kind))))
    const outcome = recordOutcome.parse(
      await record.run(client, Object.values(keys), [...expected, checkpoint, ...added.map(({ id }) => id)]),
    )
    if (outcome === 'moved') return false
    enqueued += 1
    known = checkpoint
    return true
  }

  /** Makes jobs due that are delayed for longer than the longest delay: the clock was set back. */
  const promoteTooLate = () =>
    run(PART, async (client) => {
      const after = (Date.now() + LONGEST_DELAY + 1) * DELAYED_SCALE
      const ids = await client.zrangebyscore(delayedKey, String(after), '+inf', 'LIMIT', 0, 1_000)
      if (ids.length === 0) return
      const opened = await usingQueue(client)
      for (const id of ids) await (await opened.getJob(id))?.promote()
    })

  const work = async (send: Send, options: MailWorkOptions): Promise<void> => {
    const signal = AbortSignal.any([options.signal, closing.signal])
    if (signal.aborted) return
    const { attempts = ATTEMPTS, firstDelay = FIRST_DELAY, onFailure = () => {} } = options
    const connection = redis.dedicatedConnection()
    const pass = createSendingGate(options, signal)
    const current = createRunningWork()
    const attempt = async (job: Job<JobContent>): Promise<void> => {
      const mail = mailJob(job)
      if (!mail) throw new UnrecoverableError('This job is not one that the portal queued')
      try {
        await send(mail)
      } catch (reason) {
        // The stored error has no address, and no stack that may contain one.
        const [error, tries] = [failureReasonOf(reason), job.attemptsMade + 1]
        const isFinal = reason instanceof PermanentMailFailure || tries >= attempts
        const delay = retryDelay(tries, firstDelay, Math.random())
        onFailure(mail, { error, attempts: tries, dueAt: isFinal ? undefined : Date.now() + delay })
        throw isFinal ? new UnrecoverableError(error) : new Retry(error, delay)
      }
    }
    const worker = new Worker<JobContent>(
      NAME,
      async (job, token) => {
        const began = await current.track(pass(priorityOf(job.name) === URGENT, () => attempt(job)))
        if (began) return
        await job.moveToWait(token)
        throw new WaitingError()
      },
      {
        connection: connection.client,
        prefix,
        autorun: false,
        concurrency: MOST_AT_ONCE,
        lockDuration: lock,
        stalledInterval: lock / 3,
        // A job whose worker was killed is restarted, however often that happens.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: 500,
        settings: {
          backoffStrategy: (failures, _type, error) =>
            error instanceof Retry ? error.delay : retryDelay(failures, firstDelay, Math.random()),
        },
      },
    )
    worker.on('error', onError)
    void regularly(CLOCK_CHECK_MS, promoteTooLate, (error) => onError(toError(error)), signal)
    try {
      await Promise.race([worker.run(), aborted(signal)])
      if (!signal.aborted) throw new Error('The work on mails ended unexpectedly')
    } finally {
      const closed = worker.close().catch(onError)
      await current.settled()
      // During an outage the last outcome can't be stored: that job is restarted.
      await answerWithin(closed, CLOSE_TIMEOUT_MS).catch(() => {})
      connection.end()
    }
  }

  return {
    async enqueue(jobs, checkpoint) {
      const outcome = last.then(() => run(PART, (client) => enqueue(client, jobs, checkpoint)))
      last = outcome.catch(() => {})
      if (!(await outcome)) throw new CheckpointMoved()
    },

    async checkpoint() {
      const before = enqueued
      const stored = await run(PART, (client) => client.get(keys.checkpoint))
      if (before === enqueued) known = stored ?? ''
      return stored === null ? undefined : toCheckpoint(stored)
    },

    work: (send, options) => working.track(work(send, options)),

    retrying: (limit) =>
      run(PART, async (client) => {
        const scores = await client.zrange(delayedKey, '0', String(limit - 1), 'WITHSCORES')
        const dueAt = new Map(
          scores.flatMap((id, index) => (index % 2 === 0 ? [[id, Number(scores[index + 1]) / DELAYED_SCALE]] : [])),
        )
        const jobs = await (await usingQueue(client)).getJobs(['delayed'], 0, limit - 1, true)
        return jobs.flatMap((job): RetryingMail[] => {
          const mail = mailJob(job)
          const due = dueAt.get(job.id ?? '')
          return mail && due !== undefined
            ? [{ ...mail, error: job.failedReason ?? '', attempts: job.attemptsMade, dueAt: Math.floor(due) }]
            : []
        })
      }),

    async failed() {
      const jobs = await run(PART, async (client) => (await usingQueue(client)).getJobs(['failed'], 0, -1, true))
      return jobs.map((job): FailedMail => ({
        ...(mailJob(job) ?? { id: job.id ?? '', kind: 'unknown', stream: '', revision: 0 }),
        error: job.failedReason ?? '',
        attempts: job.attemptsMade,
      }))
    },

    retry: (id) =>
      run(PART, async (client) => {
        const job = await (await usingQueue(client)).getJob(id)
        if (!job || !(await job.isFailed())) return false
        try {
          await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
          return true
        } catch (error) {
          // Another process retried it first.
          if (!(await job.isFailed())) return false
          throw error
        }
      }),

    async counts() {
      const lists = ['wait', 'paused', 'active', 'delayed', 'prioritized', 'failed'].map(
        (list) => `${prefix}:${NAME}:${list}`,
      )
      const [waiting, failed, ever] = jobCounts.parse(
        await run(PART, (client) => count.run(client, [keys.ever, ...lists])),
      )
      return { waiting, failed, sent: Math.max(0, ever - waiting - failed) }
    },

    ready: () => run(PART, writeSomething),

    async close() {
      closing.abort()
      await working.settled()
      await queue?.close().catch(onError)
    },
  }
}

type Send = (job: MailJob) => Promise<void>

/** An error to store, and when to try again. */
class Retry extends Error {
  constructor(
    message: string,
    /** In ms. */
    readonly delay: number,
  ) {
    super(message)
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

/** A mail as a job for BullMQ. */
export function bullJob({ id, kind, stream, revision }: MailJob, priority: number) {
  const opts = {
    jobId: id,
    priority,
    removeOnComplete: SENT_KEPT,
    removeOnFail: false,
    // The worker decides on the number of tries.
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: 'custom' },
    stackTraceLimit: 0,
  }
  return { name: kind, data: { kind, stream, revision }, opts }
}

/** Undefined for a job that someone else put into the queue. */
function mailJob({ id = '', data }: Job<JobContent>): MailJob | undefined {
  const content = jobContent.safeParse(data)
  return content.success ? { id, ...content.data } : undefined
}

/** @throws {Unavailable} when it takes longer than this many ms. */
function answerWithin<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  return withTimeout(work, ms, () => new Unavailable(PART, { cause: new Error(`No answer for ${ms} ms`) }))
}
