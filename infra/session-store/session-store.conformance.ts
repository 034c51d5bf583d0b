import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, expectLikeModel } from '#test-support/store-model.ts'
import { expectClosed, type StorePlace, useStores } from '#test-support/store-suite.ts'
import type { ListedSession, Session, SessionClient, SessionKind, SessionStore, Suspension } from './session-store.ts'

type Sessions = Omit<SessionStore, 'ready' | 'close'>

/** What a session store promises, as plain as can be. */
class SessionModel implements Sessions {
  readonly #sessions = new Map<string, ListedSession>()
  readonly #suspensions = new Map<string, Suspension | null>()

  async create(session: Session, client: SessionClient) {
    if (!this.#sessions.has(session.idHash)) this.#sessions.set(session.idHash, { ...session, client })
  }

  async find(idHash: string) {
    const session = this.#sessions.get(idHash)
    if (!session) return undefined
    const { client: _, ...found } = this.#withSuspension(session)
    return found
  }

  async list(kind: SessionKind, subject: string) {
    return this.#of(kind, subject).map((session) => this.#withSuspension(session))
  }

  async findMany(idHashes: readonly string[]) {
    const found = await Promise.all(idHashes.map((idHash) => this.find(idHash)))
    return found.filter((session) => session !== undefined)
  }

  async touch(idHash: string, at: number, mac: string) {
    const session = this.#sessions.get(idHash)
    if (session && session.lastSeenAt < at) this.#sessions.set(idHash, { ...session, lastSeenAt: at, mac })
  }

  async end(idHash: string) {
    this.#sessions.delete(idHash)
  }

  async endAll(kind: SessionKind, subject: string, spared?: string) {
    for (const { idHash } of this.#of(kind, subject)) if (idHash !== spared) this.#sessions.delete(idHash)
  }

  async suspend(kind: SessionKind, subject: string, suspension: Suspension | null) {
    this.#suspensions.set(`${kind} ${subject}`, suspension)
  }

  async purge(createdBefore: number, lastSeenBefore: number) {
    for (const { idHash, createdAt, lastSeenAt } of [...this.#sessions.values()])
      if (createdAt < createdBefore || lastSeenAt < lastSeenBefore) this.#sessions.delete(idHash)
  }

  #of(kind: SessionKind, subject: string): ListedSession[] {
    return [...this.#sessions.values()].filter((session) => session.kind === kind && session.subject === subject)
  }

  #withSuspension(session: ListedSession): ListedSession {
    return { ...session, suspension: this.#suspensions.get(`${session.kind} ${session.subject}`) ?? null }
  }
}

const ids = ['one', 'two', 'three', 'four', 'five']
const kinds = ['trader', 'admin'] as const
const subjects = ['ada', 'key-żółw 🦔']
const id = fc.constantFrom(...ids)
const kind = fc.constantFrom(...kinds)
const subject = fc.constantFrom(...subjects)
/** Few, so that limits are met exactly. From 1982 to 2033. */
const time = fc.integer({ min: 1, max: 5 }).map((n) => n * 400_000_000_000)
const suspension = fc.constantFrom(null, { reason: 'Chargeback "żółw"' }, { reason: 'Fraud' }, { reason: '' })
const clients = fc.constantFrom(
  { browser: 'Firefox on Linux', address: '2001:db8::1 żółw' },
  { browser: 'Chrome', address: 'another' },
)
const mac = fc.constantFrom('one MAC', 'another')
const session = fc.record({ idHash: id, kind, subject, createdAt: time, lastSeenAt: time, suspension, mac })
const create = call('create', session, clients)
const calls = [
  ...[create, create, create],
  call('touch', id, time, mac),
  call('end', id),
  call('endAll', kind, subject, fc.option(id, { nil: undefined })),
  call('suspend', kind, subject, suspension),
  call('purge', time, time),
]

/** Every session, and one that never was, as callers see them. */
async function observe(store: Sessions): Promise<unknown> {
  const lists = await Promise.all(kinds.flatMap((each) => subjects.map((one) => store.list(each, one))))
  const inOrder = <Each extends Session>(sessions: readonly Each[]) =>
    sessions.toSorted((one, other) => one.idHash.localeCompare(other.idHash))
  return {
    found: await Promise.all([...ids, '', 'never'].map((each) => store.find(each))),
    listed: lists.map(inOrder),
    among: inOrder(await store.findMany([...ids, 'never'])),
    none: await store.findMany([]),
  }
}

/** The promises of every session store. Its sessions are this suite's alone, because it also purges old ones. */
export function sessionStoreConformance(name: string, prepare: () => Promise<StorePlace<SessionStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    const client: SessionClient = { browser: 'Chrome', address: '192.0.2.1' }
    const newSession = {
      idHash: randomUUID(),
      kind: 'trader',
      subject: 'ada',
      createdAt: 1,
      lastSeenAt: 1,
      suspension: null,
      mac: 'a MAC',
    } as const

    it('keeps, lists, uses, ends, suspends and purges sessions like the model', () =>
      expectLikeModel({ prepare, createModel: (): Sessions => new SessionModel(), calls, observe }))

    it('finds sessions among as many as a process has streams', async () => {
      const store = open()
      await store.create(newSession, client)
      const many = Array.from({ length: 5_000 }, () => randomUUID())
      expect(await store.findMany([...many, newSession.idHash])).toEqual([newSession])
    })

    it('is unavailable once it is closed', async () => {
      const store = open()
      await store.ready()
      await expectClosed(
        store,
        () => store.create(newSession, client),
        () => store.find('one'),
        () => store.list('trader', 'ada'),
        () => store.findMany(['one']),
        () => store.touch('one', 1, 'a MAC'),
        () => store.end('one'),
        () => store.endAll('trader', 'ada'),
        () => store.suspend('trader', 'ada', null),
        () => store.purge(0, 0),
        () => store.ready(),
      )
    })
  })
}
