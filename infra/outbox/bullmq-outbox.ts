import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import type { Redis as Client } from 'ioredis'
import { z } from 'zod'
import { type Checkpoint, toCheckpoint } from '../event-store/event-store.ts'
import { withTimeout } from '../async.ts'
import { Unavailable } from '../failures.ts'
import { PREFIX, type Redis, script } from '../redis/redis-connection.ts'
import { createRunningWork } from '../running-work.ts'
import { CheckpointMoved, type FailedMail, type MailJob, type Outbox, type MailWorkOptions, PermanentMailFailure } from './outbox.ts'
import { ATTEMPTS, retryDelay, FIRST_DELAY, failureReasonOf } from './trying-again.ts'

const PART = 'mail queue'
const NAME = 'mail'

/**
 * BullMQ's promise that an id is queued once holds only while it has the job. So sent jobs are dropped, and the ids of all
 * that were ever queued are kept apart, at about 90 bytes each. For a time sent jobs are kept as well: a process that is
 * killed after it has queued, and before it has noted that, queues again.
 */
const SENT_KEPT = { age: 60 * 60, count: 10_000 }

const LOCK = 15_000
/** What a stop waits for Redis to take the last outcome, in ms. */
const CLOSE_TIMEOUT_MS = 3_000
/** How long opening BullMQ's own way to Redis may take once there is a connection, in ms. */
const OPENING = 2_000

/** Answers the places in the list of the ids that are new, or that the queue stands elsewhere. */
const findNew = script(`
local checkpoint, ever = KEYS[1], KEYS[2]
if ARGV[1] == 'expect' and (redis.call('GET', checkpoint) or '') ~= ARGV[2] then return 'moved' end
local new = {}
for place = 3, #ARGV do
  if redis.call('SISMEMBER', ever, ARGV[place]) == 0 then new[#new + 1] = place - 3 end
end
return new`)

/** Notes what was queued, with the checkpoint, if nobody else went on meanwhile. */
const note = script(`
local checkpoint, ever = KEYS[1], KEYS[2]
if ARGV[1] == 'expect' and (redis.call('GET', checkpoint) or '') ~= ARGV[2] then return 'moved' end
for place = 4, #ARGV do redis.call('SADD', ever, ARGV[place]) end
redis.call('SET', checkpoint, ARGV[3])
return 'noted'`)

/** All at one moment: a job that waits, waits for another try or is in hand; one that failed; and all that ever were. */
const count = script(`
local ever, wait, paused, active, delayed, prioritized, failed = unpack(KEYS)
local waiting = redis.call('LLEN', wait) + redis.call('LLEN', paused) + redis.call('LLEN', active)
  + redis.call('ZCARD', delayed) + redis.call('ZCARD', prioritized)
return { waiting, redis.call('ZCARD', failed), redis.call('SCARD', ever) }`)

const placesOfNew = z.union([z.literal('moved'), z.array(z.int())])
const noted = z.enum(['moved', 'noted'])
const counted = z.tuple([z.int(), z.int(), z.int()])
const jobContent = z.object({ kind: z.string(), stream: z.string(), revision: z.int() })
type JobContent = z.infer<typeof jobContent>

export interface BullMqOptions {
  /** Begins every key. */
  readonly prefix?: string
  /** What went wrong in the background, and will be tried again. */
  readonly onError?: (error: Error) => void
  /** A worker that shows no sign of life for so long, in ms, is taken for dead, and its job is begun again. */
  readonly lock?: number
}

/**
 * A mail queue in Redis, by BullMQ. Redis may lose what it holds: then {@link Outbox.checkpoint} is undefined, and an
 * `enqueue` that builds on what was lost is refused.
 */
export function openBullMqOutbox(redis: Redis, { prefix = PREFIX, onError = () => {}, lock = LOCK }: BullMqOptions = {}): Outbox {
  const keys = { checkpoint: `${prefix}:${NAME}-checkpoint`, ever: `${prefix}:${NAME}-ever-queued` }
  const closing = new AbortController()
  const working = createRunningWork()
  let queue: Queue<JobContent> | undefined
  /** That queue, once it can be used. */
  let begun: Queue<JobContent> | undefined
  /** Where the queue stood when this process last heard of it; '' for nowhere, undefined before it has asked. */
  let known: string | undefined
  /** Within a process one queues after the other: nobody is in anybody's way. */
  let last: Promise<unknown> = Promise.resolve()
  /** Counts what is queued, so that an answer from before is not taken for newer. */
  let enqueued = 0

  const run: Redis['run'] = (part, commands) =>
    redis.run(part, (client) => (closing.signal.aborted ? Promise.reject(new Error('It is closed')) : commands(client)))

  /** BullMQ's queue on the shared connection, once it has begun; made anew where that broke off. */
  const usingQueue = async (client: Client): Promise<Queue<JobContent>> => {
    if (begun) return begun
    const opened = queue ?? new Queue<JobContent>(NAME, { connection: client, prefix, streams: { events: { maxLen: 100 } } })
    if (!queue) opened.on('error', onError)
    queue = opened
    try {
      await answerWithin(opened.waitUntilReady(), OPENING)
      if (queue === opened) begun = opened
      return opened
    } catch (error) {
      if (queue === opened) queue = undefined
      void opened.close().catch(onError)
      throw error
    }
  }

  /** False, and nothing noted, where the queue does not stand where it was left. */
  const enqueue = async (client: Client, jobs: readonly MailJob[], checkpoint: Checkpoint): Promise<boolean> => {
    enqueued += 1
    const expected = known === undefined ? ['any', ''] : ['expect', known]
    const places = placesOfNew.parse(await findNew.run(client, Object.values(keys), [...expected, ...jobs.map(({ id }) => id)]))
    if (places === 'moved') return false
    const added = places.flatMap((place) => jobs[place] ?? [])
    if (added.length > 0) await (await usingQueue(client)).addBulk(added.map(bullJob))
    const outcome = noted.parse(await note.run(client, Object.values(keys), [...expected, checkpoint, ...added.map(({ id }) => id)]))
    if (outcome === 'moved') return false
    enqueued += 1
    known = checkpoint
    return true
  }

  const work = async (send: Send, options: MailWorkOptions): Promise<void> => {
    const signal = AbortSignal.any([options.signal, closing.signal])
    if (signal.aborted) return
    const { attempts = ATTEMPTS, firstDelay = FIRST_DELAY } = options
    const connection = redis.dedicatedConnection()
    let inHand: Promise<void> = Promise.resolve()
    const attempt = async (job: Job<JobContent>): Promise<void> => {
      try {
        await send(mailJob(job))
      } catch (error) {
        // What is kept of it has no address, nor a stack in which one might stand.
        const isFinal = error instanceof PermanentMailFailure || job.attemptsMade + 1 >= attempts
        throw isFinal ? new UnrecoverableError(failureReasonOf(error)) : new Error(failureReasonOf(error))
      }
    }
    const worker = new Worker<JobContent>(
      NAME,
      (job) => {
        const attempted = attempt(job)
        inHand = attempted.catch(() => {})
        return attempted
      },
      {
        connection: connection.client,
        prefix,
        autorun: false,
        concurrency: 1,
        lockDuration: lock,
        stalledInterval: lock / 3,
        // A job whose worker was killed is begun again, however often that happens.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: 500,
        settings: { backoffStrategy: (failures) => retryDelay(failures, firstDelay, Math.random()) },
      },
    )
    worker.on('error', onError)
    try {
      await Promise.race([worker.run(), aborted(signal)])
      if (!signal.aborted) throw new Error('The work on mails ended before it was told to')
    } finally {
      const closed = worker.close().catch(onError)
      await inHand
      // While Redis is away the last outcome can't be kept: that job is begun again.
      await answerWithin(closed, CLOSE_TIMEOUT_MS).catch(() => {})
      connection.end()
    }
  }

  return {
    async enqueue(jobs, checkpoint) {
      const mine = last.then(() => run(PART, (client) => enqueue(client, jobs, checkpoint)))
      last = mine.catch(() => {})
      if (!(await mine)) throw new CheckpointMoved()
    },

    async checkpoint() {
      const asked = enqueued
      const stands = await run(PART, (client) => client.get(keys.checkpoint))
      if (asked === enqueued) known = stands ?? ''
      return stands === null ? undefined : toCheckpoint(stands)
    },

    work: (send, options) => working.track(work(send, options)),

    async failed() {
      const jobs = await run(PART, async (client) => (await usingQueue(client)).getJobs(['failed'], 0, -1, true))
      return jobs.map((job): FailedMail => ({ ...mailJob(job), error: job.failedReason ?? '', attempts: job.attemptsMade }))
    },

    retry: (id) =>
      run(PART, async (client) => {
        const job = await (await usingQueue(client)).getJob(id)
        if (!job || !(await job.isFailed())) return false
        try {
          await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
          return true
        } catch (error) {
          // Somebody else was faster.
          if (!(await job.isFailed())) return false
          throw error
        }
      }),

    async counts() {
      const lists = ['wait', 'paused', 'active', 'delayed', 'prioritized', 'failed'].map((list) => `${prefix}:${NAME}:${list}`)
      const [waiting, failed, ever] = counted.parse(await run(PART, (client) => count.run(client, [keys.ever, ...lists])))
      return { waiting, failed, sent: Math.max(0, ever - waiting - failed) }
    },

    ready: async () => void (await run(PART, (client) => client.ping())),

    async close() {
      closing.abort()
      await working.settled()
      await queue?.close().catch(onError)
    },
  }
}

type Send = (job: MailJob) => Promise<void>

/** A mail as BullMQ is given it. */
export function bullJob({ id, kind, stream, revision }: MailJob) {
  const opts = {
    jobId: id,
    removeOnComplete: SENT_KEPT,
    removeOnFail: false,
    // How often is known to the worker, not to whoever queues.
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: { type: 'custom' },
    stackTraceLimit: 0,
  }
  return { name: kind, data: { kind, stream, revision }, opts }
}

function mailJob({ id = '', data }: Job<JobContent>): MailJob {
  return { id, ...jobContent.parse(data) }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** @throws {Unavailable} when it takes longer than so many ms. */
function answerWithin<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  return withTimeout(work, ms, () => new Unavailable(PART, { cause: new Error(`No answer for ${ms} ms`) }))
}
