import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type {
  ListedSession,
  Session,
  SessionClient,
  SessionKind,
  SessionStore,
} from '#infra/session-store/session-store.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { hashesEqual, hashToken, type Secrets } from '#services/process/keys/derived-secrets.ts'
import { browserName } from '#services/framework/http/browser-name.ts'
import { cookieName, cookiesOf } from '#services/framework/http/cookies.ts'
import { limits } from '#services/framework/http/limits.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long a session lives when unused, and at most, in ms (security checklist 7.3.1, 7.3.2). */
export const lifetimes: Record<SessionKind, { readonly idle: number; readonly absolute: number }> = {
  trader: { idle: 2 * DAY, absolute: 30 * DAY },
  admin: { idle: 4 * HOUR, absolute: DAY },
}

const cookieNames: Record<SessionKind, string> = { trader: SESSION_COOKIE, admin: ADMIN_COOKIE }

/** How old the stored last use may get before it is updated, in ms. */
const TOUCH_EVERY = MINUTE

/** Sign-in sessions in cookies: random 256-bit ids, of which only hashes are stored. */
export interface Sessions {
  /**
   * Starts a session and sets its cookie. Ends the browser's previous session, and the person's longest unused ones
   * beyond the limit.
   *
   * @param still Checked after the session is stored, since the credentials may have changed meanwhile: a change that
   * ends   all sessions either finds this session or is noticed by this check.
   * @returns undefined when the check fails; no session is started then.
   */
  start(
    request: Request,
    response: Response,
    kind: SessionKind,
    subject: string,
    still?: () => Promise<boolean>,
  ): Promise<Session | undefined>
  /**
   * Gives a session a new id, in its cookie, and ends the old id. The session's age and client stay.
   *
   * @returns undefined when it has ended.
   */
  renew(response: Response, session: Session): Promise<Session | undefined>
  /** The request's session, unless it is unknown, idle or too old. Does not count as use. */
  fromRequest(request: Request, kind: SessionKind): Promise<Session | undefined>
  /**
   * How the session ended whose cookie the request carries; undefined without a cookie. A cookie that was made up counts
   * as one of a session that was ended: nobody learns anything of it.
   */
  endOf(request: Request, kind: SessionKind): Promise<SessionEnd | undefined>
  /** Records that a session of {@link fromRequest} was used by somebody who may use it. */
  recordUse(session: Session): Promise<void>
  /** A subject's sessions that are neither idle nor too old, the last used first. */
  list(kind: SessionKind, subject: string): Promise<ListedSession[]>
  /** Which of these sessions are over: ended, idle, too old or suspended. Does not count as use. */
  overAmong(sessions: readonly Session[]): Promise<Session[]>
  /** Ends the request's session and clears its cookie. */
  end(request: Request, response: Response, kind: SessionKind): Promise<void>
  /** Ends the session of a subject with a {@link sessionId}, if there is one. */
  endOne(kind: SessionKind, subject: string, id: string): Promise<void>
  /** Ends all sessions of a subject, except `spared`. */
  endAll(kind: SessionKind, subject: string, spared?: Session): Promise<void>
}

export type SessionEnd = 'session-expired' | 'session-ended'

export interface SessionOptions {
  readonly secrets: Pick<Secrets, 'rowMac'>
  /** Called with the name of a session whose row the portal did not write. */
  readonly onForgedRow: (id: string) => void
  /** Cookies only over HTTPS, with the `__Host-` prefix. */
  readonly secure: boolean
  readonly now?: () => number
}

export function createSessions(
  store: SessionStore,
  { secrets, onForgedRow, secure, now = Date.now }: SessionOptions,
): Sessions {
  /** Everything by which a session gives a right. */
  const macOf = ({ idHash, kind, subject, createdAt, lastSeenAt }: Omit<Session, 'mac'>): string =>
    secrets.rowMac('session', idHash, [kind, subject, createdAt, lastSeenAt])

  const withMac = (session: Omit<Session, 'mac'>): Session => ({ ...session, mac: macOf(session) })

  /** The rows whose MAC was right: the same content has the same MAC. */
  const authentic = new LRUCache<string, Session>({ max: 10_000 })

  /** Sessions that were found to have expired: a page asks several things at once, and the first answer ends it. */
  const expired = new LRUCache<string, true>({ max: 10_000 })

  /** A session that the portal did not begin counts as absent. */
  const isAuthentic = (session: Session): boolean => {
    const known = authentic.get(session.idHash)
    if (known && hasSameMac(known, session)) return true
    const isOurs = hashesEqual(session.mac, macOf(session))
    if (isOurs) authentic.set(session.idHash, session)
    else onForgedRow(sessionId(session.idHash))
    return isOurs
  }

  const find = async (idHash: string): Promise<Session | undefined> => {
    const session = await store.find(idHash)
    return session && isAuthentic(session) ? session : undefined
  }

  const nameOf = (kind: SessionKind) => cookieName(cookieNames[kind], secure)
  const cookieOptions = { httpOnly: true, secure, sameSite: 'lax', path: '/' } as const

  const idHashOf = (request: Request, kind: SessionKind): string | undefined => {
    const id = cookiesOf(request)[nameOf(kind)]
    return id ? hashToken(id) : undefined
  }

  const openSessionsOf: Sessions['list'] = async (kind, subject) => {
    const at = now()
    return (await store.list(kind, subject))
      .filter((session) => isAuthentic(session) && !isExpired(session, at))
      .sort((one, other) => other.lastSeenAt - one.lastSeenAt)
  }

  return {
    async start(request, response, kind, subject, still) {
      const before = idHashOf(request, kind)
      if (before) await store.end(before)
      const id = randomBytes(32).toString('base64url')
      const at = now()
      const idHash = hashToken(id)
      const session = withMac({ idHash, kind, subject, createdAt: at, lastSeenAt: at, suspension: null })
      await store.create(session, clientOf(request))
      if (still && !(await still())) {
        await store.end(idHash)
        return undefined
      }
      for (const unused of (await openSessionsOf(kind, subject)).slice(limits.sessions.perPerson))
        await store.end(unused.idHash)
      response.cookie(nameOf(kind), id, { ...cookieOptions, maxAge: lifetimes[kind].absolute })
      return session
    },

    async renew(response, session) {
      const { kind, subject, createdAt, idHash: before } = session
      const existing = (await openSessionsOf(kind, subject)).find((listed) => listed.idHash === before)
      if (!existing) return undefined
      const id = randomBytes(32).toString('base64url')
      const at = now()
      const idHash = hashToken(id)
      const renewed = withMac({ idHash, kind, subject, createdAt, lastSeenAt: at, suspension: null })
      await store.create(renewed, existing.client)
      // A concurrent change that ends all sessions either finds the new one or has ended the old one.
      if (!(await find(before))) {
        await store.end(idHash)
        return undefined
      }
      await store.end(before)
      response.cookie(nameOf(kind), id, { ...cookieOptions, maxAge: createdAt + lifetimes[kind].absolute - at })
      return renewed
    },

    async fromRequest(request, kind) {
      const idHash = idHashOf(request, kind)
      const session = idHash ? await find(idHash) : undefined
      if (!session || session.kind !== kind) return undefined
      if (isExpired(session, now())) {
        expired.set(session.idHash, true)
        await store.end(session.idHash)
        return undefined
      }
      return session
    },

    async endOf(request, kind) {
      const idHash = idHashOf(request, kind)
      if (!idHash) return undefined
      const session = expired.has(idHash) ? 'expired' : await find(idHash)
      return session === 'expired' || (session && isExpired(session, now())) ? 'session-expired' : 'session-ended'
    },

    async recordUse(session) {
      const at = now()
      if (at - session.lastSeenAt > TOUCH_EVERY)
        await store.touch(session.idHash, at, macOf({ ...session, lastSeenAt: at }))
    },

    list: openSessionsOf,

    async overAmong(sessions) {
      const at = now()
      const open = (await store.findMany(sessions.map(({ idHash }) => idHash))).filter(
        (session) => isAuthentic(session) && !session.suspension && !isExpired(session, at),
      )
      const openIds = new Set(open.map(({ idHash }) => idHash))
      return sessions.filter(({ idHash }) => !openIds.has(idHash))
    },

    async end(request, response, kind) {
      const idHash = idHashOf(request, kind)
      if (idHash) await store.end(idHash)
      response.clearCookie(nameOf(kind), cookieOptions)
    },

    async endOne(kind, subject, id) {
      const session = (await store.list(kind, subject)).find(({ idHash }) => sessionId(idHash) === id)
      if (session) await store.end(session.idHash)
    },

    endAll: (kind, subject, spared) => store.endAll(kind, subject, spared?.idHash),
  }
}

/** The name of a session for its owner, which reveals nothing of its id. */
export function sessionId(idHash: string): string {
  return hashToken(`a session: ${idHash}`).slice(0, 22)
}

/** Whether two rows of one id have the same content, as far as the MAC is about it, and the same MAC. */
function hasSameMac(one: Session, other: Session): boolean {
  return (
    one.mac === other.mac &&
    one.kind === other.kind &&
    one.subject === other.subject &&
    one.createdAt === other.createdAt &&
    one.lastSeenAt === other.lastSeenAt
  )
}

function clientOf(request: Request): SessionClient {
  return { browser: browserName(request.get('user-agent')), address: request.ip ?? 'unknown' }
}

function isExpired({ kind, createdAt, lastSeenAt }: Session, at: number): boolean {
  const { idle, absolute } = lifetimes[kind]
  return at - createdAt > absolute || at - lastSeenAt > idle
}

/** Deletes sessions beyond their longest life. Until then an unused one tells its browser that it has expired. */
export async function purgeSessions(store: SessionStore, now: number): Promise<void> {
  await store.purge(now - lifetimes.trader.absolute, now - lifetimes.trader.absolute)
}
