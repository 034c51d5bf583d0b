import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '#infra/failures.ts'
import type { Session, Suspension } from '#infra/session-store/session-store.ts'
import { type Access, isOfPrograms, type Route, scopeOf } from '#services/framework/api/route.ts'
import { adminRoleLabels } from '#services/identity/staff/staff-vocabulary.ts'
import { isPermission, mayRole } from '#services/identity/staff/permissions.ts'
import { staffFactors, userFactors } from '#services/identity/second-factors/second-factor.ts'
import { adminKeyStreams, type AdminRole, isExpired, type MemberAccess } from '#services/identity/staff/access-key.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { userId } from '#services/framework/ids.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type {
  AdminCaller,
  AuthenticatedCaller,
  Authorization,
  Caller,
  TraderCaller,
} from '#services/framework/http/caller.ts'
import { banned, HttpError, notSignedIn } from '#services/framework/http/http-errors.ts'
import { bearerOf, type ProgramAccess } from '#services/identity/api-keys/server/program-access.ts'
import type { Sessions } from '#services/identity/authentication/sessions.ts'

/** A member of staff with the role that permits calls. */
interface MemberCaller extends AdminCaller {
  readonly role: AdminRole
}

/** Sessions of which it is remembered what the log says of their owner. */
const MAX_REMEMBERED = 10_000
/**
 * For how long, in ms: that long a session works at most that someone puts back into its store after a change of access
 * has ended it.
 */
const REMEMBERED_FOR = 60_000

/**
 * Remembers for each session what the log says of its owner; undefined is not remembered. While the log is away its
 * last word counts: nothing can be decided then.
 */
function rememberPerSession<Value>(
  load: (session: Session) => Promise<Value | undefined>,
  now: () => number,
): (session: Session) => Promise<Value | undefined> {
  const known = new LRUCache<string, { readonly value: Value; readonly at: number }>({ max: MAX_REMEMBERED })
  return async (session) => {
    const last = known.get(session.idHash)
    const at = now()
    if (last && at - last.at < REMEMBERED_FOR) return last.value
    try {
      const value = await load(session)
      if (value === undefined) known.delete(session.idHash)
      else known.set(session.idHash, { value, at })
      return value
    } catch (error) {
      if (last && error instanceof Unavailable) return last.value
      throw error
    }
  }
}

/**
 * Decides who may make a call. Traders and staff have separate sessions. A session only says whose it is: what its owner
 * may do is in the log, which each process reads once a minute for each session.
 */
export class AccessControl implements Authorization {
  /** The access of a session's member; undefined for one whose key was revoked, and for a session that was ended. */
  private readonly memberOf: (session: Session) => Promise<MemberAccess | undefined>
  /**
   * Whether a session's user is neither banned nor deleted, and no change of credentials has ended the session. A ban
   * also suspends sessions, and a change of credentials deletes them, which takes effect at once.
   */
  private readonly isAdmitted: (session: Session) => Promise<true | undefined>

  /**
   * Sessions, by the hash of their id, whose member was found to have the required second factor: losing it ends them.
   */
  private readonly enrolled = new LRUCache<string, true>({ max: MAX_REMEMBERED })

  constructor(
    private readonly sessions: Sessions,
    private readonly repositories: Repositories,
    private readonly programs: Pick<ProgramAccess, 'callerOf'>,
    /** Whether a member of staff lacks the second factor that the firm requires. */
    private readonly lacksSecondFactor: (admin: MemberCaller) => Promise<boolean>,
    private readonly now: () => number,
  ) {
    this.memberOf = rememberPerSession(async (session) => {
      const { state } = await repositories.of(adminKeyStreams).load(session.subject)
      const isOpen = !state.revoked && (await this.isSince(session, state))
      return isOpen && state.issued ? state.issued : undefined
    }, now)
    this.isAdmitted = rememberPerSession(async (session) => {
      const { state } = await repositories.of(userStreams).load(session.subject)
      return state.exists && !state.ban && (await this.isSince(session, state)) ? true : undefined
    }, now)
  }

  /**
   * Returns the caller if the call's access permits them.
   *
   * @throws {HttpError} 401; 403 for banned traders, for staff whose role lacks the permission, for staff without a
   * required second factor, and for programs whose key lacks the scope. Beside a key, cookies do not count.
   */
  async authorize(route: Pick<Route, 'access' | 'scope' | 'beforeEnrolment'>, request: Request): Promise<Caller> {
    const { access, beforeEnrolment } = route
    if (access === 'public') return { kind: 'anyone' }
    const key = bearerOf(request)
    if (key !== undefined) return this.programs.callerOf(key, scopeOf(route), request)
    if (isOfPrograms(access)) throw new HttpError(401, { message: 'Please send a key: Authorization: Bearer' })
    switch (access) {
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
  async adminOf(request: Request): Promise<MemberCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'admin')
    if (!session) return undefined
    const member = await this.memberOf(session)
    if (!member || isExpired(member, this.now())) return undefined
    await this.sessions.recordUse(session)
    const { label, role, expiresAt } = member
    return { kind: 'admin', id: session.subject, label, role, expiresAt, session }
  }

  /** The trader whose session the request carries, unless the trader is banned. */
  async traderOf(request: Request): Promise<TraderCaller | undefined> {
    const session = await this.sessions.fromRequest(request, 'trader')
    if (!session || (await this.obstacleOf(session))) return undefined
    await this.sessions.recordUse(session)
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  /** Whether the access of a member has expired since. */
  hasExpired(caller: AuthenticatedCaller): boolean {
    return caller.kind === 'admin' && isExpired(caller, this.now())
  }

  private async trader(request: Request): Promise<TraderCaller> {
    const session = await this.sessions.fromRequest(request, 'trader')
    const obstacle = session ? await this.obstacleOf(session) : 'over'
    if (!session || obstacle === 'over') throw notSignedIn(await this.sessions.endOf(request, 'trader'))
    if (obstacle) throw banned(obstacle.reason)
    await this.sessions.recordUse(session)
    return { kind: 'trader', userId: userId.parse(session.subject), session }
  }

  /** Returns the reason why a session's user may not make calls; undefined where there is none. */
  private async obstacleOf(session: Session): Promise<'over' | Suspension | undefined> {
    if (session.suspension) return session.suspension
    try {
      if (await this.isAdmitted(session)) return undefined
      return (await this.repositories.of(userStreams).load(session.subject)).state.ban ?? 'over'
    } catch (error) {
      // Traders read while the log is away, and nothing can be changed then.
      if (error instanceof Unavailable) return undefined
      throw error
    }
  }

  /**
   * Whether a session was begun, renewed or used since the last change that ended all sessions of its owner. It finds
   * what is put back into the session store: the MAC of such a row is right.
   */
  private async isSince(
    { kind, subject, lastSeenAt }: Session,
    credentials: { readonly sessionsEndedAt: number },
  ): Promise<boolean> {
    const factors = await this.repositories.of(kind === 'trader' ? userFactors : staffFactors).load(subject)
    return lastSeenAt >= Math.max(credentials.sessionsEndedAt, factors.state.sessionsEndedAt)
  }

  private async enrolledAdminOf(request: Request, beforeEnrolment = false): Promise<MemberCaller | undefined> {
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

  private async memberWith(access: Access, request: Request, beforeEnrolment?: boolean): Promise<MemberCaller> {
    const member = await this.enrolledAdminOf(request, beforeEnrolment)
    if (!member) throw notSignedIn(await this.sessions.endOf(request, 'admin'))
    if (!isPermission(access) || !mayRole(member.role, access))
      throw new HttpError(403, { message: `Your role (${adminRoleLabels[member.role]}) does not allow this` })
    return member
  }
}
