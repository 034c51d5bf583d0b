/** The port to sign-in sessions. Only hashes of session ids come here. Times are ms since 1970. */
export interface SessionStore {
  /** Stores a session; repeating it changes nothing. Its suspension is ignored: only `suspend` sets one. */
  create(session: Session, client: SessionClient): Promise<void>

  /** The session, of any age: the caller checks its limits. */
  find(idHash: string): Promise<Session | undefined>

  /** All sessions of a subject, of any age, in no particular order. */
  list(kind: SessionKind, subject: string): Promise<ListedSession[]>

  /** Those of these sessions that still exist, of any age, in no particular order. */
  findMany(idHashes: readonly string[]): Promise<Session[]>

  /**
   * Records the last use of a session with the MAC of the row that has it, never an earlier one. Unknown ones are
   * ignored. Power loss may undo recent calls.
   */
  touch(idHash: string, at: number, mac: string): Promise<void>

  /** Ends a session for good; an unknown one is ignored. */
  end(idHash: string): Promise<void>

  /** Ends every session of a subject, except an optional spared one. */
  endAll(kind: SessionKind, subject: string, spared?: string): Promise<void>

  /** Suspends every present and later session of a subject with a reason; `null` lifts the suspension. */
  suspend(kind: SessionKind, subject: string, suspension: Suspension | null): Promise<void>

  /** Removes sessions created before the first time or last used before the second. */
  purge(createdBefore: number, lastSeenBefore: number): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export type SessionKind = 'trader' | 'admin'

export interface Suspension {
  readonly reason: string
}

/** Where a session was begun; removed with the session. */
export interface SessionClient {
  /** In words: 'Firefox on Windows'. */
  readonly browser: string
  readonly address: string
}

export interface Session {
  /** SHA-256 of the id in the cookie, base64url. */
  readonly idHash: string
  readonly kind: SessionKind
  /** User id or admin key id. */
  readonly subject: string
  readonly createdAt: number
  readonly lastSeenAt: number
  /** Set while the subject is suspended. */
  readonly suspension: Suspension | null
  /** What the caller knows the row by, for who writes to the storage must not begin sessions. */
  readonly mac: string
}

export interface ListedSession extends Session {
  readonly client: SessionClient
}
