import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '../../test-support/store-suite.ts'
import type { ListedSession, Session, SessionStore } from './session-store.ts'

/** The promises of every session store. Its sessions are this suite's alone, because it also purges old ones. */
export function sessionStoreConformance(name: string, prepare: () => Promise<StorePlace<SessionStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    let store: SessionStore
    let subject: string
    const now = Date.now()

    beforeEach(() => {
      store = open()
      subject = randomUUID()
    })

    const restart = async (): Promise<void> => {
      await store.close()
      store = open()
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
    const createSession = async (changes: Partial<Session> = {}): Promise<Session> => {
      const created = session(changes)
      await store.create(created)
      return created
    }
    /** Which of these sessions still exist. */
    const remaining = async (...sessions: Session[]): Promise<boolean[]> =>
      Promise.all(sessions.map(async ({ idHash }) => (await store.find(idHash)) !== undefined))

    describe('a session', () => {
      it('is found unchanged, also after a restart', async () => {
        const trader = await createSession({ createdAt: now - 5000, lastSeenAt: now - 1000 })
        const admin = await createSession({ kind: 'admin', subject: 'key-żółw 🦔' })
        expect(await store.find(trader.idHash)).toEqual(trader)
        expect(await store.find(admin.idHash)).toEqual(admin)
        await restart()
        expect(await store.find(trader.idHash)).toEqual(trader)
      })

      it('is not found when it was never created', async () => {
        await createSession()
        expect(await store.find(session().idHash)).toBeUndefined()
        expect(await store.find('')).toBeUndefined()
      })

      it('is found at any age', async () => {
        const old = await createSession({ createdAt: Date.UTC(2001, 1, 1), lastSeenAt: Date.UTC(2001, 1, 2) })
        expect(await store.find(old.idHash)).toEqual(old)
      })

      it('may be created twice, as after a lost response', async () => {
        const created = await createSession()
        await store.touch(created.idHash, now + 1000)
        await store.create(created)
        expect(await store.find(created.idHash)).toEqual({ ...created, lastSeenAt: now + 1000 })
      })
    })

    describe('list', () => {
      const client = { browser: 'Firefox on Linux', address: '2001:db8::1 żółw' }
      const byId = (sessions: readonly ListedSession[]) => [...sessions].sort((one, other) => one.idHash.localeCompare(other.idHash))

      it('has every session of one subject and kind, with where it was begun, also after a restart', async () => {
        const [first, second] = [session(), await createSession({ createdAt: now - 5000, lastSeenAt: now - 1000 })]
        await store.create(first, client)
        await createSession({ subject: randomUUID() })
        await createSession({ kind: 'admin' })
        const expected = byId([
          { ...first, client },
          { ...second, client: null },
        ])
        expect(byId(await store.list('trader', subject))).toEqual(expected)
        await restart()
        expect(byId(await store.list('trader', subject))).toEqual(expected)
        expect(await store.list('trader', randomUUID())).toEqual([])
      })

      it('has no ended session, the last use, and the suspension', async () => {
        const [ended, open] = [await createSession(), session()]
        await store.create(open, client)
        await store.create(open, { ...client, address: 'another' })
        await store.end(ended.idHash)
        await store.touch(open.idHash, now + 1000)
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        expect(await store.list('trader', subject)).toEqual([{ ...open, lastSeenAt: now + 1000, suspension: { reason: 'Chargeback' }, client }])
        await store.endAll('trader', subject)
        expect(await store.list('trader', subject)).toEqual([])
      })
    })

    describe('existing', () => {
      it('names those of some sessions that still exist', async () => {
        const [open, ended, other] = [await createSession(), await createSession(), await createSession({ subject: randomUUID() })]
        await store.end(ended.idHash)
        const found = await store.existing([open, ended, other, session()].map(({ idHash }) => idHash))
        expect([...found].sort()).toEqual([open.idHash, other.idHash].sort())
        expect(await store.existing([])).toEqual(new Set())
      })

      it('takes as many as a process has streams', async () => {
        const open = await createSession()
        const many = Array.from({ length: 5_000 }, () => session().idHash)
        expect(await store.existing([...many, open.idHash])).toEqual(new Set([open.idHash]))
      })
    })

    describe('touch', () => {
      it('records the last use, never an earlier one', async () => {
        const [created, other] = [await createSession(), await createSession()]
        await store.touch(created.idHash, now + 2000)
        await store.touch(created.idHash, now + 1000)
        expect(await store.find(created.idHash)).toEqual({ ...created, lastSeenAt: now + 2000 })
        expect(await store.find(other.idHash)).toEqual(other)
        await restart()
        expect(await store.find(created.idHash)).toEqual({ ...created, lastSeenAt: now + 2000 })
      })

      it('does not create an unknown or ended session', async () => {
        const [unknown, ended] = [session(), await createSession()]
        await store.end(ended.idHash)
        await store.touch(unknown.idHash, now)
        await store.touch(ended.idHash, now)
        expect(await remaining(unknown, ended)).toEqual([false, false])
      })
    })

    describe('end', () => {
      it('ends only one session, for good', async () => {
        const [created, other] = [await createSession(), await createSession()]
        await store.end(created.idHash)
        expect(await remaining(created, other)).toEqual([false, true])
        await restart()
        expect(await remaining(created, other)).toEqual([false, true])
      })

      it('may be repeated, and ignores unknown sessions', async () => {
        const created = await createSession()
        await store.end(created.idHash)
        await store.end(created.idHash)
        await store.end(session().idHash)
        expect(await remaining(created)).toEqual([false])
      })
    })

    describe('endAll', () => {
      it('ends every session of one subject and kind only', async () => {
        const own = [await createSession(), await createSession(), await createSession()]
        const others = [await createSession({ subject: randomUUID() }), await createSession({ kind: 'admin' })]
        await store.endAll('trader', subject)
        expect(await remaining(...own)).toEqual([false, false, false])
        expect(await remaining(...others)).toEqual([true, true])
        await store.endAll('trader', randomUUID())
        expect(await remaining(...others)).toEqual([true, true])
      })

      it('spares the given session', async () => {
        const [spared, ended] = [await createSession(), await createSession()]
        await store.endAll('trader', subject, spared.idHash)
        expect(await remaining(spared, ended)).toEqual([true, false])
      })

      it("spares no session of the subject for another subject's", async () => {
        const [created, other] = [await createSession(), await createSession({ subject: randomUUID() })]
        await store.endAll('trader', subject, other.idHash)
        expect(await remaining(created, other)).toEqual([false, true])
      })

      it('does not prevent later sessions', async () => {
        await createSession()
        await store.endAll('trader', subject)
        expect(await remaining(await createSession())).toEqual([true])
      })
    })

    describe('suspend', () => {
      const reasons = async (...sessions: Session[]): Promise<(string | undefined)[]> =>
        Promise.all(sessions.map(async ({ idHash }) => (await store.find(idHash))?.suspension?.reason))

      it('applies to present and later sessions until lifted, also after a restart', async () => {
        const before = await createSession()
        await store.suspend('trader', subject, { reason: 'Chargeback "żółw"' })
        const after = await createSession()
        expect(await store.find(before.idHash)).toEqual({ ...before, suspension: { reason: 'Chargeback "żółw"' } })
        expect(await store.find(after.idHash)).toEqual({ ...after, suspension: { reason: 'Chargeback "żółw"' } })
        await restart()
        const later = await createSession()
        expect(await reasons(before, after, later)).toEqual(Array.from({ length: 3 }, () => 'Chargeback "żółw"'))
        await store.suspend('trader', subject, null)
        expect(await store.find(before.idHash)).toEqual(before)
        expect(await reasons(before, after, later, await createSession())).toEqual([undefined, undefined, undefined, undefined])
      })

      it('applies to no other subject or kind', async () => {
        const others = [await createSession({ subject: randomUUID() }), await createSession({ kind: 'admin' })]
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        expect(await reasons(...others)).toEqual([undefined, undefined])
      })

      it('keeps the last reason, also an empty one', async () => {
        const created = await createSession()
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        await store.suspend('trader', subject, { reason: 'Fraud' })
        expect(await reasons(created)).toEqual(['Fraud'])
        await store.suspend('trader', subject, { reason: '' })
        expect((await store.find(created.idHash))?.suspension).toEqual({ reason: '' })
      })

      it('outlasts the use, end and purge of sessions', async () => {
        const created = await createSession()
        await store.suspend('trader', subject, { reason: 'Chargeback' })
        await store.touch(created.idHash, now + 1)
        expect(await reasons(created)).toEqual(['Chargeback'])
        await store.endAll('trader', subject)
        await store.purge(now - 1000, now - 1000)
        expect(await reasons(await createSession())).toEqual(['Chargeback'])
      })

      it('ignores the suspension of a new session', async () => {
        const created = await createSession({ suspension: { reason: 'Made up' } })
        expect((await store.find(created.idHash))?.suspension).toBeNull()
      })

      it('may be lifted when there is none', async () => {
        const created = await createSession()
        await store.suspend('trader', subject, null)
        expect(await store.find(created.idHash)).toEqual(created)
      })
    })

    describe('purge', () => {
      const year = (n: number): number => Date.UTC(n, 0, 1)

      it('removes sessions created or last used before the limits only', async () => {
        const longAgo = await createSession({ createdAt: year(1990), lastSeenAt: year(1999) })
        const idle = await createSession({ createdAt: year(1993), lastSeenAt: year(1994) })
        const both = await createSession({ createdAt: year(1990), lastSeenAt: year(1991) })
        const inUse = await createSession({ createdAt: year(1993), lastSeenAt: year(1999) })
        const atTheLimits = await createSession({ createdAt: year(1992), lastSeenAt: year(1995) })
        await store.purge(year(1992), year(1995))
        expect(await remaining(longAgo, idle, both, inUse, atTheLimits)).toEqual([false, false, false, true, true])
        await store.endAll('trader', subject)
      })

      it('considers the last use', async () => {
        const old = { createdAt: year(1993), lastSeenAt: year(1993) }
        const [used, idle] = [await createSession(old), await createSession(old)]
        await store.touch(used.idHash, year(1999))
        await store.purge(year(1992), year(1995))
        expect(await remaining(used, idle)).toEqual([true, false])
        await store.endAll('trader', subject)
      })
    })

    it('shows changes at once to another store', async () => {
      const other = open()
      const [created, ended] = [await createSession(), await createSession()]
      await store.end(ended.idHash)
      await store.suspend('trader', subject, { reason: 'Chargeback' })
      expect(await other.find(created.idHash)).toEqual({ ...created, suspension: { reason: 'Chargeback' } })
      expect(await other.find(ended.idHash)).toBeUndefined()
      await other.endAll('trader', subject)
      expect(await remaining(created)).toEqual([false])
    })

    it('is unavailable once it is closed', async () => {
      const created = await createSession()
      await store.ready()
      await expectClosed(
        store,
        () => store.create(session()),
        () => store.find(created.idHash),
        () => store.list('trader', subject),
        () => store.existing([created.idHash]),
        () => store.touch(created.idHash, now),
        () => store.end(created.idHash),
        () => store.endAll('trader', subject),
        () => store.suspend('trader', subject, null),
        () => store.purge(0, 0),
        () => store.ready(),
      )
    })
  })
}
