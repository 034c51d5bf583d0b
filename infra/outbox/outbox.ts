import type { Checkpoint } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import type { GateOptions } from './sending-gate.ts'

/**
 * The port to the outbox, the mails to be sent. A job names the event that caused it, never its content: personal data
 * is read from the log when the mail is sent, so the outbox holds nothing of an erased person.
 */
export interface Outbox {
  /**
   * Stores jobs and the consumer's checkpoint together, durably. A checkpoint without jobs may be lost with the machine's
   * power: then events without mails come again. A job id is queued only once, unless the outbox loses its data.
   *
   * @throws {CheckpointMoved} when the checkpoint is not the one that this consumer saved last.
   */
  enqueue(jobs: readonly MailJob[], checkpoint: Checkpoint): Promise<void>

  /** The checkpoint of the last `enqueue`; undefined for an outbox that is new or lost its data. */
  checkpoint(): Promise<Checkpoint | undefined>

  /**
   * Passes due jobs to `send`, several at once, until `signal` aborts; those under way are finished first. Urgent jobs
   * begin first. A slow one makes room for another, so that a few recipients whose servers hang hold up nobody else.
   *
   * When `send` throws, the job is retried with growing, capped delays. It fails for good after `attempts` tries, or at
   * once for {@link PermanentMailFailure}. A job is sent at least once: again if the process died, or the store was
   * unavailable, before the outcome was stored. During an outage of the store, work waits. Where the clock was set back,
   * a job that is due later than the longest delay is due.
   */
  work(send: (job: MailJob) => Promise<void>, options: MailWorkOptions): Promise<void>

  /** The jobs that wait for another try, at most so many, the next one first. */
  retrying(limit: number): Promise<RetryingMail[]>

  /** The jobs that failed for good, the oldest failure first. */
  failed(): Promise<FailedMail[]>

  /** Puts a failed job back, with all its tries. Returns false when there is no such failed job. */
  retry(id: string): Promise<boolean>

  counts(): Promise<{ waiting: number; sent: number; failed: number }>

  /** @throws {Unavailable} */
  ready(): Promise<void>

  /** Ends {@link work} first, as its signal does. */
  close(): Promise<void>
}

export interface MailJob {
  /** The event's id: one mail an event. */
  readonly id: string
  /** The kind of mail, named after the event's type. */
  readonly kind: string
  /** The stream and revision of the event. */
  readonly stream: string
  readonly revision: number
}

/** The options of both kinds of outbox. */
export interface OutboxOptions {
  /** The kinds of mails that somebody waits for. None by default. */
  readonly urgentKinds?: readonly string[]
}

/** A mail that waits for another try. */
export interface RetryingMail extends FailedMail {
  /** When it is tried again, in ms since 1970. */
  readonly dueAt: number
}

export interface FailedMail extends MailJob {
  /** The error of `send`, shortened and without mail addresses: it is kept after the person is erased. */
  readonly error: string
  readonly attempts: number
}

export interface MailWorkOptions extends GateOptions {
  readonly signal: AbortSignal
  /** Hears of each failed try. `dueAt` is when it is tried again, in ms since 1970; undefined where it failed for good. */
  readonly onFailure?: (
    job: MailJob,
    failure: Pick<FailedMail, 'error' | 'attempts'> & { dueAt: number | undefined },
  ) => void
  /** 500 by default: four and a half days. */
  readonly attempts?: number
  /**
   * Delay before the second try in ms, 1,000 by default; doubled each time, at most 15 minutes; up to a quarter less at
   * random.
   */
  readonly firstDelay?: number
}

/**
 * The outbox lost its data, returned to an older state, or another consumer continued: load its checkpoint and continue
 * from there. Otherwise mails would be lost.
 */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved'
  constructor() {
    super('The checkpoint of the mail queue is not the one saved last')
  }
}

/** The mail can't be handed over now. */
export class TemporaryMailFailure extends Unavailable {
  constructor(
    /** Why, in an operator's words: the step, its answer and what that means. It has no personal data, and no secret. */
    readonly reason: string,
  ) {
    super('mail server', { cause: new Error(reason) })
  }
}

/** A retry would not help (unknown mailbox, erased recipient). */
export class PermanentMailFailure extends Error {
  override readonly name = 'PermanentMailFailure'
}
