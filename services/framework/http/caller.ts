import type { Request } from 'express'
import type { Session } from '#infra/session-store/session-store.ts'
import type { Actor } from '#services/framework/api/actor.ts'
import type { Access, Route } from '#services/framework/api/route.ts'
import type { ApiKeyId, UserId } from '#services/framework/ids.ts'

/** The author of a call. */
export type Caller = { readonly kind: 'anyone' } | AuthenticatedCaller | ProgramCaller
export type AuthenticatedCaller = TraderCaller | AdminCaller

export interface TraderCaller {
  readonly kind: 'trader'
  readonly userId: UserId
  readonly session: Session
}

/** A member of staff has the id of the member's first access key, whichever key is in use. */
export interface AdminCaller {
  readonly kind: 'admin'
  readonly id: string
  readonly label: string
  readonly expiresAt: number | null
  readonly session: Session
}

/** A program that calls with its key. */
export interface ProgramCaller {
  readonly kind: 'program'
  /** The id of its key. */
  readonly id: ApiKeyId
  /** The program's name. */
  readonly label: string
}

/** The caller that a call of this access is sure to have. */
export type CallerOf<A extends Access> = string extends A
  ? Caller
  : A extends 'trader'
    ? TraderCaller
    : A extends 'trader-or-any-admin'
      ? TraderCaller | AdminCaller
      : A extends 'public'
        ? Caller
        : A extends `program:${string}`
          ? ProgramCaller
          : AdminCaller

/** Says who makes a call. */
export interface Authorization {
  /** @throws {HttpError} where the call's access does not permit them. */
  authorize(route: Pick<Route, 'access' | 'scope' | 'beforeEnrolment'>, request: Request): Promise<Caller>
}

/** The caller as recorded in the metadata of the call's events. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'trader':
      return { kind: 'trader', id: caller.userId }
    case 'admin':
      return { kind: 'admin', id: caller.id, label: caller.label }
    case 'program':
      return { kind: 'program', id: caller.id, label: caller.label }
    case 'anyone':
      return { kind: 'system', label: 'sign-in screen' }
  }
}
