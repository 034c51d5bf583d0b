import type { Express, Request } from 'express'
import type { Dependencies } from '#services/composition-root.ts'
import type { Route } from '#services/api/route.ts'
import { clientNetwork } from '#services/http/client-network.ts'
import type { HttpDependencies } from '#services/http-dependencies.ts'
import { limits } from '#services/http/limits.ts'
import { type Call, type Reply, serve, type ServeOptions } from '#services/authentication/serve-route.ts'
import { createInFlightLimit } from '#services/http/throttle.ts'
import { accounts } from '#services/modules/account-aggregate.ts'
import { adminKeys } from '#services/modules/staff/access-key.ts'
import { installations } from '#services/modules/installation/installation.ts'
import { notices } from '#services/modules/notices/notice.ts'
import { users } from '#services/modules/users/user.ts'
import type { PasswordHashing } from '#services/authentication/password-hash.ts'
import { createStepUp } from '#services/authentication/step-up.ts'

type SharedParts = 'config' | 'repositories' | 'eventStore' | 'addresses' | 'secrets' | 'fileStore' | 'deletion' | 'log' | 'now'

/** What the command service is given. */
export interface CommandServiceParts extends Pick<Dependencies, SharedParts>, HttpDependencies {
  /** A dead letter of a subscription. */
  readonly findDeadLetter: (id: string) => Promise<{ readonly reader: string; readonly stream: string; readonly revision: number } | undefined>
  readonly passwords: PasswordHashing
  /** Called when an access key is refused. */
  readonly onAccessKeyRefused: () => void
}

/** The dependencies of the command handlers. */
export type CommandDependencies = ReturnType<typeof createCommandDependencies>

/** Adds what the handlers share: the aggregates that they decide on, step-up, and a limit on the work for passwords. */
export function createCommandDependencies(parts: CommandServiceParts) {
  const { repositories } = parts
  const inFlight = createInFlightLimit(limits.passwords.perNetwork)
  return {
    ...parts,
    users: repositories.of(users),
    accounts: repositories.of(accounts),
    adminKeys: repositories.of(adminKeys),
    installations: repositories.of(installations),
    notices: repositories.of(notices),
    stepUp: createStepUp(parts),
    /** Checks and hashes passwords, with so much under way at once for the request's network. @throws {HttpError} 429 beyond it. */
    passwordWork: <Result>(request: Request, work: () => Promise<Result>): Promise<Result> => inFlight(clientNetwork(request), work),
  }
}

/** The parts that every call has. */
export type AnyCall = Pick<Call<Route>, 'context' | 'request' | 'response'>

/** Registers handlers of the command service's calls. */
export type RegisterCommand = <const R extends Route>(route: R, handle: (call: Call<R>) => Promise<Reply>, receive?: ServeOptions['receive']) => void

export function createCommandRegistrar(app: Express, options: Omit<ServeOptions, 'receive'>): RegisterCommand {
  return (route, handle, receive) => serve(app, route, receive ? { ...options, receive } : options, handle)
}
