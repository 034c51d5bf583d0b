import { createHash, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '../failures.ts'
import type { Session, SessionStore } from './session-store.ts'

/** A store for this suite alone: it also forgets what is old. */
export interface SessionStoreFixture {
  readonly store: SessionStore
  /** Another store on the same sessions, as a restarted process has it. */
  reopen(): Promise<SessionStore>
  /** Called last, with every store closed. */
  remove?(): Promise<void>
}

/** What every session store promises, whatever is behind it. */
export function sessionStoreConformance(name: string, open: () => Promise<SessionStoreFixture>): void {
  describe(name, () => {
    let place: SessionStoreFixture
    let store: SessionStore
    let subject: string
    const stores: SessionStore[] = []
    const now = Date.now()

    beforeEach(async () => {
      place = await open()
      store = place.store
      stores.push(store)
      subject = randomUUID()
    })
    afterEach(async () => {
      for (const opened of stores.splice(0)) await opened.close()
      await place.remove?.()
    })

    const reopened = async (): Promise<SessionStore> => {
      const again = await place.reopen()
      stores.push(again)
      return again
    }
    const session = (changes: Partial<Session> = {}): Session => ({
      idHash: createHash('sha256').update(randomUUID()).digest('base64url'),
      kind: 'trader',
      subject,
      createdAt: now,
      lastSeenAt: now,
      suspension: null,
      ...changes,
    })
    const created = async (changes: Partial<Session> = {}): Promise<Session> => {
      const made = session(changes)
      await store.create(made)
      return made
    }
    /** Which of these sessions are there still. */
    const remaining = async (...sessions: Session[]): Promise<boolean[]> =>
      Promise.all(sessions.map(async ({ idHash }) => (await store.find(idHash)) !== undefined))

    describe('a session', () => {
      it('is found as it was made, also after a restart', async () => {
        const trader = await created({ createdAt: now - 5000, lastSeenAt: now - 1000 })
        const admin = await created({ kind: 'admin', subject: 'key-żółw 🦔' })
        expect(await store.find(trader.idHash)).toEqual(trader)
        expect(await store.find(admin.idHash)).toEqual(admin)
        await store.close()
        store = await reopened()
        expect(await store.find(trader.idHash)).toEqual(trader)
      })

      it('is not found when it was never made', async () => {
        await created()
        expect(await store.find(session().idHash)).toBeUndefined()
        expect(await store.find('')).toBeUndefined()
      })

      it('is found whatever its age', async () => {
        const old = await created({ createdAt: Date.UTC(2001, 1, 1), lastSeenAt: Date.UTC(2001, 1, 2) })
        expect(await store.find(old.idHash)).toEqual(old)
      })

      it('may be made twice, as after an answer that was lost', async () => {
        const made = await created()
        await store.touch(made.idHash, now + 1000)
        await store.create(made)
        expect(await store.find(made.idHash)).toEqual({ ...made, lastSeenAt: now + 1000 })
      })
    })

    describe('touch', () => {
      it('notes when the session was used last, never moving back', async () => {
        const [made, other] = [await created(), await created()]
        await store.touch(made.idHash, now + 2000)
        await store.touch(made.idHash, now + 1000)
        expect(await store.find(made.idHash)).toEqual({ ...made, lastSeenAt: now + 2000 })
        expect(await store.find(other.idHash)).toEqual(other)
        await store.close()
        store = await reopened()
        expect(await store.find(made.idHash)).toEqual({ ...made, lastSeenAt: now + 2000 })
      })

      it('makes no session of an unknown or ended one', async () => {
        const [unknown, ended] = [session(), await created()]
        await store.end(ended.idHash)
        await store.touch(unknown.idHash, now)
        await store.touch(ended.idHash, now)
        expect(await remaining(unknown, ended)).toEqual([false, false])
      })
    })

    describe('end', () => {
      it('ends one session for good, and only it', async () => {
        const [made, other] = [await created(), await created()]
        await store.end(made.idHash)
        expect(await remaining(made, other)).toEqual([false, true])
        await store.close()
        store = await reopened()
        expect(await remaining(made, other)).toEqual([false, true])
      })

      it('may be asked for twice, or for nothing', async () => {
        const made = await created()
        await store.end(made.idHash)
        await store.end(made.idHash)
        await store.end(session().idHash)
        expect(await remaining(made)).toEqual([false])
      })
    })

    describe('endAll', () => {
      it('ends every session of the subject and of no other, nor of another kind', async () => {
        const own = [await created(), await created(), await created()]
        const others = [await created({ subject: randomUUID() }), await created({ kind: 'admin' })]
        await store.endAll('trader', subject)
        expect(await remaining(...own)).toEqual([false, false, false])
        expect(await remaining(...others)).toEqual([true, true])
        await store.endAll('trader', randomUUID())
        expect(await remaining(...others)).toEqual([true, true])
      })

      it('spares the one it is told to', async () => {
        const [spared, ended] = [await created(), await created()]
        await store.endAll('trader', subject, spared.idHash)
        expect(await remaining(spared, ended)).toEqual([true, false])
      })

      it("spares nothing for a session that is none of the subject's", async () => {
        const [made, other] = [await created(), await created({ subject: randomUUID() })]
        await store.endAll('trader', subject, other.idHash)
        expect(await remaining(made, other)).toEqual([false, true])
      })

      it('does not keep later sessions from being made', async () => {
        await created()
        await store.endAll('trader', subject)
        expect(await remaining(await created())).toEqual([true])
      })
    })

    describe('suspend', () => {
      const reasons = async (...sessions: Session[]): Promise<(string | undefined)[]> =>
        Promise.all(sessions.map(async ({ idHash }) => (await store.find(idHash))?.suspension?.reason))

      it('marks the sessions there are and those made later, until it is lifted, also over a restart', async () => {
        const before = await created()
        await store.suspend('trader', subject, { reason: 'Chargeback "żółw"' })
        const after = await created()
        expect(await store.find(before.idHash)).toEqual({ ...before, suspension: { reason: 'Chargeback "żółw"' } })
        expect(await store.find(after.idHash)).toEqual({ ...after, suspension: { reason: 'Chargeback "żółw"' } })
        await store.close()
        store = await reopened()
        const later = await created()
        expect(await reasons(before, after, later)).toEqual(Array.from({ length: 3 }, () => 'Chargeback "żółw"'))
        await store.suspend('trader', subject, null)
        expect(await store.find(before.idHash)).toEqual(before)
        expect(await reasons(before, after, later, await created())).toEqual([undefined, undefined, undefined, undefined])
      })

      it('marks nobody else and no other kind', async () => {
        const others = [await created({ subject: randomUUID() }), await created({ kind: 'admin' })]
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        expect(await reasons(...others)).toEqual([undefined, undefined])
      })

      it('takes the reason given last, also an empty one', async () => {
        const made = await created()
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        await store.suspend('trader', subject, { reason: 'Fraud' })
        expect(await reasons(made)).toEqual(['Fraud'])
        await store.suspend('trader', subject, { reason: '' })
        expect((await store.find(made.idHash))?.suspension).toEqual({ reason: '' })
      })

      it('holds while sessions are used, ended and forgotten', async () => {
        const made = await created()
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        await store.touch(made.idHash, now + 1)
        expect(await reasons(made)).toEqual(['Chargeback'])
        await store.endAll('trader', subject)
        await store.purge(now - 1000, now - 1000)
        expect(await reasons(await created())).toEqual(['Chargeback'])
      })

      it('does not look at what a new session says of it', async () => {
        const made = await created({ suspension: { reason: 'Made up' } })
        expect((await store.find(made.idHash))?.suspension).toBeNull()
      })

      it('may be lifted where there was none', async () => {
        const made = await created()
        await store.suspend('trader', subject, null)
        expect(await store.find(made.idHash)).toEqual(made)
      })
    })

    describe('purge', () => {
      const year = (n: number): number => Date.UTC(n, 0, 1)

      it('forgets what was made before the one time or used before the other, and nothing else', async () => {
        const longAgo = await created({ createdAt: year(1990), lastSeenAt: year(1999) })
        const idle = await created({ createdAt: year(1993), lastSeenAt: year(1994) })
        const both = await created({ createdAt: year(1990), lastSeenAt: year(1991) })
        const inUse = await created({ createdAt: year(1993), lastSeenAt: year(1999) })
        const atTheLimits = await created({ createdAt: year(1992), lastSeenAt: year(1995) })
        await store.purge(year(1992), year(1995))
        expect(await remaining(longAgo, idle, both, inUse, atTheLimits)).toEqual([false, false, false, true, true])
        await store.endAll('trader', subject)
      })

      it('goes by the last use', async () => {
        const old = { createdAt: year(1993), lastSeenAt: year(1993) }
        const [used, idle] = [await created(old), await created(old)]
        await store.touch(used.idHash, year(1999))
        await store.purge(year(1992), year(1995))
        expect(await remaining(used, idle)).toEqual([true, false])
        await store.endAll('trader', subject)
      })
    })

    it('shows at once to another store what was done in one', async () => {
      const other = await reopened()
      const [made, ended] = [await created(), await created()]
      await store.end(ended.idHash)
      await store.suspend('trader', subject, { reason: 'Chargeback' })
      expect(await other.find(made.idHash)).toEqual({ ...made, suspension: { reason: 'Chargeback' } })
      expect(await other.find(ended.idHash)).toBeUndefined()
      await other.endAll('trader', subject)
      expect(await remaining(made)).toEqual([false])
    })

    it('is unavailable once it is closed', async () => {
      const made = await created()
      await store.ready()
      await store.close()
      await store.close()
      for (const late of [
        () => store.create(session()),
        () => store.find(made.idHash),
        () => store.touch(made.idHash, now),
        () => store.end(made.idHash),
        () => store.endAll('trader', subject),
        () => store.suspend('trader', subject, null),
        () => store.purge(0, 0),
        () => store.ready(),
      ])
        await expect(late()).rejects.toThrow(Unavailable)
    })
  })
}
