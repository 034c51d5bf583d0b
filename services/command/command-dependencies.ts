import type { Express, Request } from 'express'
import type { Logger } from 'pino'
import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { FileStore } from '../../infra/file-store/file-store.ts'
import type { Config } from '../config.ts'
import type { Route } from '../api/index.ts'
import { type Call, type Reply, serve, type ServeOptions } from '../http/serve-route.ts'
import type { Confirmations } from '../http/confirmations.ts'
import type { RelyingParty } from '../http/passkey-options.ts'
import type { PendingSignIns } from '../http/pending-sign-ins.ts'
import type { Sessions } from '../http/sessions.ts'
import type { SignedTokens } from '../http/signed-tokens.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import type { Secrets } from '../keys/derived-secrets.ts'
import { accounts, adminKeys, installations, notices, users } from '../domain/streams.ts'
import type { DeletionDependencies } from '../use-cases/user-deletion.ts'
import type { EmailAddresses } from '../use-cases/email-addresses.ts'
import type { PasswordHashing } from './password-hash.ts'
import type { StepUp } from './step-up.ts'
import type { Throttle } from '../http/throttle.ts'

/** The dependencies of the command handlers. */
export interface CommandDependencies extends Aggregates {
  readonly config: Config
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'ready' | 'end'>
  readonly addresses: EmailAddresses
  readonly secrets: Secrets
  readonly sessions: Sessions
  readonly signedTokens: SignedTokens
  readonly confirmations: Confirmations
  readonly pendingSignIns: PendingSignIns
  readonly relyingParty: RelyingParty
  readonly stepUp: StepUp
  readonly fileStore: FileStore
  readonly deletion: DeletionDependencies
  /** A dead letter of a subscription. */
  readonly findDeadLetter: (id: string) => Promise<{ readonly reader: string; readonly stream: string; readonly revision: number } | undefined>
  /** The ids of all members of staff, as far as the read model knows them. */
  readonly memberIds: () => Promise<string[]>
  readonly throttle: Throttle
  readonly passwords: PasswordHashing
  /** Checks and hashes passwords, with so much under way at once for the request's network. @throws {HttpError} 429 beyond it. */
  readonly passwordWork: PasswordWork
  /** Called when an access key is refused. */
  readonly onAccessKeyRefused: () => void
  readonly secureCookies: boolean
  readonly log: Logger
  readonly now: () => number
}

export type PasswordWork = <Result>(request: Request, work: () => Promise<Result>) => Promise<Result>

type Aggregates = Readonly<ReturnType<typeof aggregatesOf>>

/** The aggregates that commands decide on. */
export function aggregatesOf(repositories: Repositories) {
  return {
    users: repositories.of(users),
    accounts: repositories.of(accounts),
    adminKeys: repositories.of(adminKeys),
    installations: repositories.of(installations),
    notices: repositories.of(notices),
  }
}

/** The parts that every call has. */
export type AnyCall = Pick<Call<Route>, 'context' | 'request' | 'response'>

/** Registers handlers of the command service's calls. */
export type RegisterCommand = <const R extends Route>(route: R, handle: (call: Call<R>) => Promise<Reply>, receive?: ServeOptions['receive']) => void

export function createCommandRegistrar(app: Express, options: Omit<ServeOptions, 'receive'>): RegisterCommand {
  return (route, handle, receive) => serve(app, route, receive ? { ...options, receive } : options, handle)
}
