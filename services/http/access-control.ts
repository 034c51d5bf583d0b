import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import type { Session } from '../../infra/session-store/session-store.ts'
import type { Access, Route } from '../api/index.ts'
import type { AdminRole } from '../domain/staff/access-key.ts'
import { type UserId, userId } from '../domain/ids.ts'
import type { AggregateRepository } from '../event-sourcing/aggregate-repository.ts'
import type { Actor } from '../event-sourcing/codec/metadata.ts'
import type { AdminKey, AdminKeyEvent } from '../domain/staff/access-key.ts'
import { enrolmentPaths } from '../api/index.ts'
import { banned, HttpError, notSignedIn } from './http-errors.ts'
import type { Sessions } from './sessions.ts'

/** Who makes a call. */
export type Caller =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'trader'; readonly userId: UserId; readonly session: Session }
  | { readonly kind: 'admin'; readonly id: string; readonly label: string; readonly role: AdminRole; readonly session: Session }

export type TraderCaller = Extract<Caller, { kind: 'trader' }>
export type AdminCaller = Extract<Caller, { kind: 'admin' }>
export type AuthenticatedCaller = TraderCaller | AdminCaller

/** The caller that a call of this access is sure to have. */
export type CallerOf<A extends Access> = A extends 'trader'
  ? TraderCaller
  : A extends 'admin' | 'auditor-or-admin'
    ? AdminCaller
    : A extends 'trader-or-any-admin'
      ? TraderCaller | AdminCaller
      : Caller

/** Keys whose label and role are remembered. */
const MAX_REMEMBERED_KEYS = 1_000

type IssuedKey = NonNullable<AdminKey['issued']>

/**
 * Decides who may make a call. Traders and administrators have separate sessions. Requests are checked against the session
 * only: revoking a key ends its sessions, so each process reads a key's stream once.
 */
export class AccessControl {
  /** A key keeps its label and role for life. */
  private readonly issuedKeys = new LRUCache<string, IssuedKey>({ max: MAX_REMEMBERED_KEYS })

  /** Sessions, by the hash of their id, whose member was found to have the required second factor: whatever takes it away ends them. */
  private readonly enrolled = new LRUCache<string, true>({ max: MAX_REMEMBERED_KEYS })

  constructor(
    private readonly sessions: Sessions,
    private readonly adminKeys: AggregateRepository<AdminKey, AdminKeyEvent>,
    /** Whether a member of staff lacks the second factor that the firm requires. */
    private readonly lacksSecondFactor: (admin: AdminCaller) => Promise<boolean> = async () => false,
  ) {}

  /** Returns the caller if the call's access permits them. @throws {HttpError} 401; 403 for banned traders, for auditors making changes, and for staff without a required second factor. */
  async authorize({ access, path }: Pick<Route, 'access' | 'path'>, request: Request): Promise<Caller> {
    switch (access) {
      case 'public':
        return { kind: 'anyone' }
      case 'trader':
        return this.trader(request)
      case 'admin':
        return this.administrator(request, path)
      case 'auditor-or-admin':
        return this.anyAdmin(request, path)
      case 'trader-or-any-admin':
        return (await this.enrolledAdminOf(request, path)) ?? this.trader(request)
    }
  }

  /** The administrator or auditor whose session the request carries. */
  async adminOf(request: Request): Promise<AdminCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'admin')
    if (!session) return undefined
    const key = this.issuedKeys.get(session.subject) ?? (await this.loadKey(session.subject))
    return key && { kind: 'admin', id: session.subject, label: key.label, role: key.role, session }
  }

  /** The trader whose session the request carries, unless the trader is banned. */
  async traderOf(request: Request): Promise<TraderCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'trader')
    if (!session || session.suspension) return undefined
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  /** Whether an authorized caller would be authorized again. Does not count as use of the session. */
  async isStillAuthorized({ session }: AuthenticatedCaller): Promise<boolean> {
    const current = await this.sessions.peek(session)
    return current !== undefined && !current.suspension
  }

  private async loadKey(id: string): Promise<IssuedKey | undefined> {
    const { issued, revoked } = (await this.adminKeys.load(id)).state
    if (!issued || revoked) return undefined
    this.issuedKeys.set(id, issued)
    return issued
  }

  private async trader(request: Request): Promise<TraderCaller> {
    const session = await this.sessions.fromRequest(request, 'trader')
    if (!session) throw notSignedIn()
    if (session.suspension) throw banned(session.suspension.reason)
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  private async enrolledAdminOf(request: Request, path: string): Promise<AdminCaller | undefined> {
    const admin = await this.adminOf(request)
    if (!admin || enrolmentPaths.includes(path) || this.enrolled.has(admin.session.idHash)) return admin
    if (await this.lacksSecondFactor(admin))
      throw new HttpError(403, { message: 'Your firm requires a second factor. Please add one first.', code: 'second-factor-enrolment-required' })
    this.enrolled.set(admin.session.idHash, true)
    return admin
  }

  private async anyAdmin(request: Request, path: string): Promise<AdminCaller> {
    const admin = await this.enrolledAdminOf(request, path)
    if (!admin) throw notSignedIn()
    return admin
  }

  private async administrator(request: Request, path: string): Promise<AdminCaller> {
    const admin = await this.anyAdmin(request, path)
    if (admin.role !== 'admin') throw new HttpError(403, { message: 'Auditor keys are read-only' })
    return admin
  }
}

/** The caller as recorded in the metadata of the call's events. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'trader':
      return { kind: 'trader', id: caller.userId }
    case 'admin':
      return { kind: 'admin', id: caller.id, label: caller.label }
    case 'anyone':
      return { kind: 'system', label: 'sign-in screen' }
  }
}
