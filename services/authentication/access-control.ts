import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import type { Session } from '#infra/session-store/session-store.ts'
import type { Access, Route } from '#services/api/route.ts'
import { adminRoleLabels } from '#services/modules/staff/staff-vocabulary.ts'
import {
  type AdminKey,
  type AdminKeyEvent,
  type AdminRole,
  isExpired,
  type MemberAccess,
} from '#services/modules/staff/access-key.ts'
import { type UserId, userId } from '#services/modules/ids.ts'
import type { AggregateRepository } from '#services/event-sourcing/aggregate-repository.ts'
import type { Actor } from '#services/api/actor.ts'
import { banned, HttpError, notSignedIn } from '#services/http/http-errors.ts'
import type { Sessions } from './sessions.ts'

/** The author of a call. A member of staff has the id of the member's first access key, whichever key is in use. */
export type Caller =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'trader'; readonly userId: UserId; readonly session: Session }
  | {
      readonly kind: 'admin'
      readonly id: string
      readonly label: string
      readonly role: AdminRole
      readonly expiresAt: number | null
      readonly session: Session
    }

export type TraderCaller = Extract<Caller, { kind: 'trader' }>
export type AdminCaller = Extract<Caller, { kind: 'admin' }>
export type AuthenticatedCaller = TraderCaller | AdminCaller

/** The caller that a call of this access is sure to have. */
export type CallerOf<A extends Access> = string extends A
  ? Caller
  : A extends 'trader'
    ? TraderCaller
    : A extends 'trader-or-any-admin'
      ? TraderCaller | AdminCaller
      : A extends 'public'
        ? Caller
        : AdminCaller

/** Sessions whose member is remembered. */
const MAX_REMEMBERED_SESSIONS = 1_000

/**
 * Decides who may make a call. Traders and staff have separate sessions. A change of a member's access ends the
 * member's sessions, so each process reads a member's stream once per session.
 */
export class AccessControl {
  /** By the hash of a session's id. A session keeps its member's name, role and expiry for life. */
  private readonly members = new LRUCache<string, MemberAccess>({ max: MAX_REMEMBERED_SESSIONS })

  /**
   * Sessions, by the hash of their id, whose member was found to have the required second factor: losing it ends them.
   */
  private readonly enrolled = new LRUCache<string, true>({ max: MAX_REMEMBERED_SESSIONS })

  constructor(
    private readonly sessions: Sessions,
    private readonly adminKeys: AggregateRepository<AdminKey, AdminKeyEvent>,
    /** Whether a member of staff lacks the second factor that the firm requires. */
    private readonly lacksSecondFactor: (admin: AdminCaller) => Promise<boolean>,
    /** Whether a role has a permission. */
    private readonly mayRole: (role: AdminRole, permission: string) => boolean,
    private readonly now: () => number,
  ) {}

  /**
   * Returns the caller if the call's access permits them.
   *
   * @throws {HttpError} 401; 403 for banned traders, for staff whose role lacks the permission, and for staff without a
   * required second factor.
   */
  async authorize(
    { access, beforeEnrolment }: Pick<Route, 'access' | 'beforeEnrolment'>,
    request: Request,
  ): Promise<Caller> {
    switch (access) {
      case 'public':
        return { kind: 'anyone' }
      case 'trader':
        return this.trader(request)
      case 'trader-or-any-admin':
        return (await this.enrolledAdminOf(request, beforeEnrolment)) ?? this.trader(request)
      default:
        return this.memberWith(access, request, beforeEnrolment)
    }
  }

  /**
   * The member of staff who is signed in, whose session the request carries. Their `id` stays the same with every new
   * key.
   */
  async adminOf(request: Request): Promise<AdminCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'admin')
    if (!session) return undefined
    const member = this.members.get(session.idHash) ?? (await this.loadMember(session))
    if (!member || isExpired(member, this.now())) return undefined
    const { label, role, expiresAt } = member
    return { kind: 'admin', id: session.subject, label, role, expiresAt, session }
  }

  /** The trader whose session the request carries, unless the trader is banned. */
  async traderOf(request: Request): Promise<TraderCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'trader')
    if (!session || session.suspension) return undefined
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  /** Whether the access of a member has expired since. */
  hasExpired(caller: AuthenticatedCaller): boolean {
    return caller.kind === 'admin' && isExpired(caller, this.now())
  }

  private async loadMember({ idHash, subject }: Session): Promise<MemberAccess | undefined> {
    const { issued, revoked } = (await this.adminKeys.load(subject)).state
    if (!issued || revoked) return undefined
    this.members.set(idHash, issued)
    return issued
  }

  private async trader(request: Request): Promise<TraderCaller> {
    const session = await this.sessions.fromRequest(request, 'trader')
    if (!session) throw notSignedIn()
    if (session.suspension) throw banned(session.suspension.reason)
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  private async enrolledAdminOf(request: Request, beforeEnrolment = false): Promise<AdminCaller | undefined> {
    const admin = await this.adminOf(request)
    if (!admin || beforeEnrolment || this.enrolled.has(admin.session.idHash)) return admin
    if (await this.lacksSecondFactor(admin))
      throw new HttpError(403, {
        message: 'Your firm requires a second factor. Please add one first.',
        code: 'second-factor-enrolment-required',
      })
    this.enrolled.set(admin.session.idHash, true)
    return admin
  }

  private async memberWith(permission: string, request: Request, beforeEnrolment?: boolean): Promise<AdminCaller> {
    const member = await this.enrolledAdminOf(request, beforeEnrolment)
    if (!member) throw notSignedIn()
    if (!this.mayRole(member.role, permission))
      throw new HttpError(403, { message: `Your role (${adminRoleLabels[member.role]}) does not allow this` })
    return member
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
