/** The port to sign-in sessions. Only hashes of session ids come here. Times are ms since 1970. */
export interface SessionStore {
  /** Keeps a session; the same again changes nothing. What it says of a suspension is not looked at: only `suspend` decides that. */
  create(session: Session): Promise<void>

  /** The session, whatever its age: the caller judges its limits. */
  find(idHash: string): Promise<Session | undefined>

  /** Notes that the session was used, never moving back. Unknown ones are ignored. A loss of power may undo the last ones. */
  touch(idHash: string, at: number): Promise<void>

  /** Ends a session for good; an unknown one is ignored. */
  end(idHash: string): Promise<void>

  /** Ends every session of a subject, but for one that may be spared. */
  endAll(kind: SessionKind, subject: string, spared?: string): Promise<void>

  /** Marks every session of a subject as suspended with a reason (`null` lifts it), those made later too until it is lifted. */
  suspend(kind: SessionKind, subject: string, suspension: Suspension | null): Promise<void>

  /** Forgets sessions that were made before the first time or last used before the second. */
  purge(createdBefore: number, lastSeenBefore: number): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

export type SessionKind = 'trader' | 'admin'

export interface Suspension {
  readonly reason: string
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
}
