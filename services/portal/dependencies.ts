import type { Request } from 'express'
import type { Dependencies } from './composition-root.ts'
import type { System, SystemPart } from '#services/operations/installation/installation-api.ts'
import type { PasswordHashing } from '#services/identity/authentication/password-hash.ts'
import type { StepUp } from '#services/identity/authentication/step-up.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { DailyCount } from '#services/framework/http/daily-count.ts'
import type { HttpDependencies } from './http-dependencies.ts'
import type { Stages } from '#services/trading/accounts/server/stages.ts'
import type { DamagedFiles } from '#services/trading/certificates/server/damaged-files.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import type { UserId } from '#services/framework/ids.ts'

/** What the server halves of subjects are given. */

type SharedByAll = 'config' | 'repositories' | 'eventStore' | 'secrets' | 'fileStore' | 'log' | 'now'

/** For the handlers of commands. */
export interface CommandDependencies
  extends Pick<Dependencies, SharedByAll | 'addresses' | 'logins' | 'policyDependencies'>, HttpDependencies {
  readonly passwords: PasswordHashing
  readonly stepUp: StepUp
  /**
   * Checks and hashes passwords, with so much under way at once for the request's network.
   *
   * @throws {HttpError} 429 beyond it.
   */
  readonly passwordWork: <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>
  /** A dead letter of a subscription. */
  readonly findDeadLetter: (
    id: string,
  ) => Promise<{ readonly reader: string; readonly stream: string; readonly revision: number } | undefined>
  /** Called when an access key is refused. */
  readonly onAccessKeyRefused: () => void
  /** Removes what all subjects hold of a deleted user. */
  readonly eraseUser: Erase
}

type SharedByQueries =
  | SharedByAll
  | 'readModelStore'
  | 'personKeys'
  | 'publishedTree'
  | 'transparencyLog'
  | 'attestations'
  | 'outbox'
  | 'proofWatch'

/** For the handlers of queries. */
export interface QueryDependencies extends Pick<Dependencies, SharedByQueries>, HttpDependencies {
  readonly readModels: ReadModels
  readonly stages: Stages
  /** Those of all subjects. */
  readonly projections: readonly Projection[]
  readonly damagedFiles: DamagedFiles
  /** Of this process. */
  readonly serverErrors: Pick<DailyCount, 'today'>
  /** Whether each store and transport is available. */
  readonly componentStates: () => Promise<SystemPart[]>
  /** The version, the disk, and the last backup and verification. */
  readonly installationState: () => Promise<System['installation']>
  /** The name of the subscription of the policies. */
  readonly policies: string
  /** Aborts when the service is about to stop, to end live streams. */
  readonly closing: AbortSignal
}

/** For what the worker does by the clock. */
export interface TimeDependencies extends Pick<Dependencies, 'repositories' | 'now' | 'log'> {
  readonly readModels: Pick<ReadModels, 'find'>
}

/** For policies and erasure. */
export type PolicyDependencies = Dependencies['policyDependencies']

/**
 * Removes what is held of a deleted user. Every step may be repeated.
 *
 * @returns the position that it reached in the log, if it appended something.
 */
export type Erase = (userId: UserId, context: Context, parts: PolicyDependencies) => Promise<Position | undefined>
