import type { Checkpoint } from '../event-store/event-store.ts'

/**
 * The port to the queue of mails to send. A job names the event that caused it, never its content: what is personal
 * is read from the log when the mail goes out, so that an erased person has nothing left in the queue.
 */
export interface Outbox {
  /**
   * Keeps the jobs and the reader's checkpoint together, durably. A job id that was ever queued is not queued again, as long
   * as the queue keeps what it holds.
   *
   * @throws {CheckpointMoved} when the queue does not stand where this reader left it.
   */
  enqueue(jobs: readonly MailJob[], checkpoint: Checkpoint): Promise<void>

  /** The checkpoint of the last `enqueue`; undefined for a queue that is new, or has lost what it held. */
  checkpoint(): Promise<Checkpoint | undefined>

  /**
   * Hands each due job to `send`, one after the other, until `signal` aborts; then the one in hand is finished first.
   * When `send` throws, the job is tried again with growing, capped delays, and set aside as failed after
   * `attempts` tries or at once for {@link PermanentMailFailure}. A job is sent at least once: again when the process
   * died, or the store was away, before the outcome was kept. While the store is away, work waits for it.
   */
  work(send: (job: MailJob) => Promise<void>, options: MailWorkOptions): Promise<void>

  /** The jobs that failed for good, the oldest failure first. */
  failed(): Promise<FailedMail[]>

  /** Puts a failed job back in the queue, with all its tries. False when there is no such failed job. */
  retry(id: string): Promise<boolean>

  counts(): Promise<{ waiting: number; sent: number; failed: number }>

  /** @throws {Unavailable} */
  ready(): Promise<void>

  /** Ends {@link work} first, as its signal would. */
  close(): Promise<void>
}

export interface MailJob {
  /** The event's id: one mail an event. */
  readonly id: string
  /** What kind of mail, named after the event's type. */
  readonly kind: string
  /** Where the event stands. */
  readonly stream: string
  readonly revision: number
}

export interface FailedMail extends MailJob {
  /** What `send` threw, shortened and without mail addresses: it is kept after the person is erased. */
  readonly error: string
  readonly attempts: number
}

export interface MailWorkOptions {
  readonly signal: AbortSignal
  /** 8 unless told. */
  readonly attempts?: number
  /**
   * Delay before the second try in ms; doubled each time, at most 15 minutes; up to a quarter less at random. 1,000
   * unless told.
   */
  readonly firstDelay?: number
}

/**
 * The queue lost what it held, fell back to an older state, or another reader went on: ask it for its checkpoint and go on
 * from there. Going on as if nothing had happened would leave mails out for good.
 */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved'
  constructor() {
    super('The mail queue does not stand where it was left')
  }
}

/** Trying again would not help (no such mailbox, the recipient was erased). */
export class PermanentMailFailure extends Error {
  override readonly name = 'PermanentMailFailure'
}
