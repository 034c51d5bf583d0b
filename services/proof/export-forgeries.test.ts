import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type StoredEvent, toPosition } from '#infra/event-store/event-store.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import {
  exportedAccount,
  type ExportedAccountOptions,
  type ExportKind,
  exportKinds,
  signedFile,
} from '#test-support/exported-account.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { accountExport, type AccountExport, type ExportedEvent } from './export-format.ts'
import { type GenuineExport, type RefusedExport, verifyExport } from '#services/oversight/audit/export-verification.ts'
import { endorsementText, keyIdOf, shortKeyId } from './signed-texts.ts'
import { signingKeyOf } from './seal-signing.ts'
import { provesOf, sentenceOf } from '#services/oversight/audit/verification-words.ts'

/**
 * Each forgery that was found in reviews or that docs/audit.md lists, tried with the firm's key trusted and without.
 */

let firm: Awaited<ReturnType<typeof exportedAccount>>
beforeAll(async () => void (firm = await exportedAccount()))
afterAll(() => firm.close())

const trustedOf = (which: string) => (which === 'with' ? firm.keys.map(({ id }) => id).slice(-1) : [])
const stranger = signingKeyOf(new Uint8Array(32).fill(7))

async function refused(file: string, trusted: readonly string[] = []): Promise<RefusedExport> {
  const verification = await verifyExport(file, trusted)
  if (verification.outcome === 'genuine') throw new Error(`Accepted: ${sentenceOf(verification)}`)
  return verification
}

async function genuine(file: string, trusted: readonly string[] = []): Promise<GenuineExport> {
  const verification = await verifyExport(file, trusted)
  if (verification.outcome !== 'genuine') throw new Error(`Refused: ${verification.says}`)
  return verification
}

const contentOf = (file: string): AccountExport => accountExport.parse(JSON.parse(file))

/** The entries of a type get another form. */
function edited(content: AccountExport, type: string, edit: (event: ExportedEvent) => ExportedEvent): AccountExport {
  return { ...content, events: content.events.map((event) => (event.type === type ? edit(event) : event)) }
}

const inData = (search: string, replacement: string) => (event: ExportedEvent) => ({
  ...event,
  data: event.data?.replace(search, replacement) ?? null,
})
const withhold = (event: ExportedEvent): ExportedEvent => ({ ...event, data: null, dataHash: '0'.repeat(64) })

/** The forgeries of a security review. */
const reviewed: readonly (readonly [string, (content: AccountExport) => object])[] = [
  [
    'the data of a breach withheld, so that anything can be told',
    (content) => edited(content, 'AccountStatusChanged', withhold),
  ],
  ['what changed emptied', (content) => edited(content, 'BalanceChanged', (event) => ({ ...event, data: '{}' }))],
  ['a field of a change renamed', (content) => edited(content, 'BalanceChanged', inData('"to"', '"t0"'))],
  [
    'an approved payout told as rejected',
    (content) => edited(content, 'PayoutApproved', (event) => ({ ...event, type: 'PayoutRejected' })),
  ],
  [
    'the amount of a payout multiplied',
    (content) => edited(content, 'PayoutRequested', inData('7814.00', '781400.00')),
  ],
  [
    'the eligibility for payouts flipped',
    (content) => edited(content, 'PayoutsEnabled', (event) => ({ ...event, type: 'PayoutsDisabled' })),
  ],
  [
    'another actor',
    (content) =>
      edited(content, 'UserRegistered', (event) => ({
        ...event,
        metadata: event.metadata?.replace('"trader"', '"admin"') ?? null,
      })),
  ],
  [
    'another version',
    (content) => edited(content, 'BalanceChanged', (event) => ({ ...event, version: event.version + 1 })),
  ],
  ['another time', (content) => edited(content, 'BalanceChanged', (event) => ({ ...event, at: event.at + 1 }))],
  ['a time of the export', (content) => ({ ...content, exportedAt: '2026-11-22T00:00:00.000Z' })],
  [
    'a state of the account',
    (content) => ({ ...content, state: { account: { balance: '99999.00', status: 'active' } } }),
  ],
  ['a readable story', (content) => ({ ...content, facts: [] })],
  [
    'the breach dropped, another entry in its place',
    (content) => {
      const at = content.events.findIndex(({ type }) => type === 'AccountStatusChanged')
      return {
        ...content,
        events: content.events.map((event, n) => (n === at ? (content.events[at - 1] ?? event) : event)),
      }
    },
  ],
  ['an entry dropped', (content) => ({ ...content, events: content.events.toSpliced(3, 1) })],
  [
    'another account, and entries dropped',
    (content) => ({ ...content, account: 'bob00000', events: content.events.toSpliced(3, 1) }),
  ],
  [
    'the proof of one entry taken away, and its data edited',
    (content) =>
      edited(content, 'BalanceChanged', (event) => ({ ...inData('"to":"5', '"to":"9')(event), index: null })),
  ],
  [
    'every proof taken away',
    (content) => ({
      ...content,
      checkpoint: null,
      inclusion: [],
      events: content.events.map((event) => ({ ...event, index: null })),
    }),
  ],
  ['proofs and keys taken away', (content) => ({ ...content, checkpoint: null, inclusion: [], keys: [] })],
  [
    'an invented entry among the proven ones',
    (content) => ({
      ...content,
      events: content.events.toSpliced(4, 0, { ...(content.events[4] ?? invented), index: null, revision: 99 }),
    }),
  ],
]

const invented = contentOfNothing()

function contentOfNothing(): ExportedEvent {
  const [position, stream, id, type] = [
    '1',
    'account-ada00000-a1',
    '00000000-0000-4000-8000-000000000000',
    'PayoutsEnabled',
  ]
  return {
    index: null,
    position,
    stream,
    revision: 0,
    id,
    type,
    at: 0,
    version: 1,
    data: '{}',
    dataHash: null,
    metadata: null,
    metadataHash: '0'.repeat(64),
    disclosures: [],
  }
}

describe('a firm that signs what it likes', () => {
  const DAY = 86_400_000
  type Desk = Parameters<NonNullable<ExportedAccountOptions['recordedLast']>>[0]
  const verify = async (recordedLast: (desk: Desk) => Promise<unknown>) => {
    const small = await exportedAccount({ recordedLast })
    onTestFinished(small.close)
    return verifyExport(small.files.trader)
  }
  const assigned = { type: 'AccountAssigned', data: { accountId: accountIdOf(userId.parse('ada00000'), 2) } } as const
  const unbanned = { type: 'UserUnbanned', data: { from: 'x' } } as const
  const limits = {
    type: 'RiskLimitsChanged',
    data: {
      from: { dailyDrawdownLimit: '5% / $250', overallLossLimit: null, profitTarget: null },
      to: { dailyDrawdownLimit: '1%', overallLossLimit: null, profitTarget: null },
      reason: null,
    },
  } as const

  it.each<[string, (desk: Desk) => Promise<unknown>]>([
    [
      'a month before the seal, with no later entry',
      async ({ append, setClock, now }) => {
        await append(assigned)
        setClock(now() + 30 * DAY, 1)
      },
    ],
    [
      'in 2099, with a later entry',
      async ({ append, setClock, now }) => {
        const before = now()
        setClock(Date.UTC(2099, 0, 1), 1)
        await append(assigned)
        setClock(before, 1)
        await append(unbanned)
      },
    ],
    [
      'at an ordinary time, with a later entry',
      async ({ append, setClock, now }) => {
        setClock(now(), 1)
        await append(assigned)
        await append(unbanned)
      },
    ],
  ])('cannot leave out an account that it assigned %s', async (_, recorded) => {
    expect(await verify(recorded)).toEqual({
      outcome: 'altered',
      says: 'Altered: the entries of account ada00000-a2 are missing.',
    })
  })

  it('may have sealed the log right between an assignment and its account', async () => {
    const verification = await verify(async ({ append, setClock, now }) => {
      setClock(now(), 1)
      await append(assigned)
    })
    expect(verification).toMatchObject({ outcome: 'genuine', untimely: [] })
  })

  it.each<[string, number, RegExp]>([
    ['later than its checkpoint', 40 * DAY, /^Look at a time: entry #\d+ is dated 40 days later than its checkpoint\./],
    [
      'before what was recorded earlier',
      -21 * DAY,
      /^Look at a time: entry #\d+ is dated 2[01] days before an entry that was recorded earlier\./,
    ],
  ])('cannot date an entry %s without being told', async (_, shift, said) => {
    const verification = await verify(async ({ append, setClock, now }) => {
      const before = now()
      setClock(before + shift, 1)
      await append(limits)
      setClock(before, 1)
    })
    expect(verification).toMatchObject({ outcome: 'genuine', untimely: [expect.stringMatching(said)] })
  })

  it('cannot date an entry and its checkpoint ahead of what others confirm', async () => {
    let confirmedAt = 0
    const small = await exportedAccount({
      recordedLast: async ({ append, setClock, now }) => {
        confirmedAt = now() + 10_000
        setClock(now() + 40 * DAY, 1)
        await append(limits)
      },
    })
    onTestFinished(small.close)
    expect(await verifyExport(small.files.trader)).toMatchObject({ outcome: 'genuine', untimely: [] })
    const confirmed = [{ at: confirmedAt, by: 'its time stamp' }]
    expect(await verifyExport(small.files.trader, [], confirmed)).toMatchObject({
      outcome: 'genuine',
      untimely: [expect.stringMatching(/^Look at a time: entry #\d+ is dated 39 days later than its time stamp\./)],
    })
  })

  it('may have clocks that differ by a minute', async () => {
    const verification = await verify(async ({ append, setClock, now }) => {
      const before = now()
      setClock(before + 50_000, 1)
      await append(limits)
      setClock(before, 1)
      await append(unbanned)
    })
    expect(verification).toMatchObject({ outcome: 'genuine', untimely: [] })
  })
})

describe.each(exportKinds)("a %s's export", (kind) => {
  describe.each(['without', 'with'])('%s a trusted key', (which) => {
    it.each(reviewed)('is refused with %s', async (_, forge) => {
      expect((await refused(JSON.stringify(forge(contentOf(firm.files[kind]))), trustedOf(which))).outcome).not.toBe(
        'genuine',
      )
    })

    it.each(reviewed)('is refused with %s, signed again by the firm', async (_, forge) => {
      const file = signedFile(JSON.parse(JSON.stringify(forge(contentOf(firm.files[kind])))), firm.keys[1])
      expect((await refused(file, trustedOf(which))).says).not.toBe('')
    })
  })

  it('says the account and its entries as they were recorded', async () => {
    const verification = await genuine(firm.files[kind])
    expect(sentenceOf(verification)).toBe(
      `Genuine: the history of account ada00000, 25 Jun to 25 Jun 2026, ${verification.entries.length} entries; the newest 3 are not sealed yet.`.replace(
        '25 Jun to 25 Jun',
        '25 Jun',
      ),
    )
    expect(verification.stateAfter(verification.proven)).toMatchObject({
      user: { fullName: 'Ada Lovelace', city: 'Turin', banned: false },
      accounts: [
        {
          account: {
            status: 'active',
            balance: '50000.02',
            dailyDrawdownLimit: '5% / $250',
            masterPassword: 'not in this file',
          },
          payouts: [
            { amount: '7814.00', status: 'approved', paymentDetails: 'ada@pay.example', adminNotes: 'Received' },
          ],
          certificates: [{ name: 'Phase 1 passed' }],
        },
      ],
    })
    expect(verification.stateAfter(verification.entries.length).accounts[0]?.account).toMatchObject({
      status: 'breached',
      balance: '44000.00',
    })
    expect(firm.files[kind].includes('Dana, risk desk')).toBe(kind === 'auditor')
  })

  it('proves which decisions one member of staff made, in a trader’s file without a name', async () => {
    const { entries } = await genuine(firm.files[kind])
    const staffOf = (type: string) => entries.findLast((entry) => entry.type === type)?.staffMember
    const [dana, erin] = [staffOf('PayoutRejected'), staffOf('PayoutApproved')]
    expect([dana, erin]).toEqual([1, 2])
    expect(['AccountStatusChanged', 'CertificateIssued', 'UserBanned', 'UserUnbanned'].map(staffOf)).toEqual([
      1, 1, 1, 1,
    ])
    expect(['PayoutRequested', 'UserRegistered', 'AccountOpened'].map(staffOf)).toEqual([null, null, null])
    const labels = new Set(
      entries.flatMap(({ actor, staffMember }) =>
        staffMember === null ? [] : [`${staffMember} ${actor?.label ?? 'nobody'}`],
      ),
    )
    expect([...labels]).toEqual(kind === 'trader' ? ['1 nobody', '2 nobody'] : ['1 Dana, risk desk', '2 Erin, payouts'])
  })

  it('proves the link that takes a change of email back, and withholds its hash', async () => {
    const file = firm.files[kind]
    expect((await genuine(file)).entries.map(({ type }) => type)).toContain('EmailRevertOffered')
    expect(contentOf(file).events.find(({ type }) => type === 'EmailRevertOffered')).toMatchObject({
      data: null,
      disclosures: [],
    })
    expect(file).not.toContain('revert-hash')
  })
})

/** What someone does who can write to the log, but has no key: the checkpoint and the tree stay as they were. */
const events = (): readonly StoredEvent[] => firm.events
const at = (type: string) => events().findIndex((event) => event.type === type && event.stream.includes('ada00000'))
const replaced = (index: number, edit: (event: StoredEvent) => StoredEvent) =>
  events().map((event, n) => (n === index ? edit(event) : event))

/** The events with chains that are right again: what the firm can make, which has all keys. */
function rechained(edited: readonly StoredEvent[]): readonly StoredEvent[] {
  const heads = new Map<string, string>()
  return edited.map((event) => {
    const previous = heads.get(event.stream)
    const metadata = event.metadata.replace(
      /"previous":(?:null|"[0-9a-f]+")\}$/,
      `"previous":${previous ? `"${previous}"` : 'null'}}`,
    )
    heads.set(event.stream, eventHash(event.stream, event.revision, { ...event, metadata }))
    return { ...event, metadata }
  })
}

const rows: readonly (readonly [string, () => readonly StoredEvent[]])[] = [
  [
    'the data of an event changed',
    () => replaced(at('BalanceChanged'), (event) => ({ ...event, data: event.data.replace('"to":"', '"to":"9') })),
  ],
  [
    'the metadata of an event changed',
    () => replaced(at('BalanceChanged'), (event) => ({ ...event, metadata: event.metadata.replace('Dana', 'Dora') })),
  ],
  [
    'the type of an event changed',
    () => replaced(at('BalanceChanged'), (event) => ({ ...event, type: 'ProfitLossChanged' })),
  ],
  [
    'the id of an event changed',
    () => replaced(at('BalanceChanged'), (event) => ({ ...event, id: '00000000-0000-4000-8000-000000000000' })),
  ],
  [
    'a single byte of an event changed',
    () => replaced(at('PayoutRequested'), (event) => ({ ...event, data: event.data.replace('7814', '7815') })),
  ],
  ['an event dropped in the middle', () => events().toSpliced(at('PayoutRejected'), 1)],
  [
    'a whole account left out, which the user’s stream names',
    () => events().filter(({ stream }) => !stream.startsWith('account-ada00000')),
  ],
  [
    'an event dropped, and the numbers after it closed up',
    () => {
      const gone = at('PayoutRejected')
      const { stream } = events()[gone] ?? { stream: '' }
      return events()
        .toSpliced(gone, 1)
        .map((event, n) =>
          n < gone
            ? event
            : {
                ...event,
                position: toPosition(String(Number(event.position) - 1)),
                revision: event.revision - (event.stream === stream ? 1 : 0),
              },
        )
    },
  ],
  [
    'two events swapped in the log',
    () => {
      const [one, other] = [at('PayoutRequested'), at('PayoutRejected')]
      const [first, second] = [events()[one], events()[other]]
      if (!first || !second) throw new Error('There are no such events')
      return events()
        .with(one, { ...second, position: first.position })
        .with(other, { ...first, position: second.position })
    },
  ],
  [
    'two events of a stream swapped with all their bytes',
    () => {
      const [one, other] = [at('PayoutRequested'), at('PayoutRejected')]
      const [first, second] = [events()[one], events()[other]]
      if (!first || !second) throw new Error('There are no such events')
      const bytes = ({ id, type, data, metadata }: StoredEvent) => ({ id, type, data, metadata })
      return events()
        .with(one, { ...first, ...bytes(second) })
        .with(other, { ...second, ...bytes(first) })
    },
  ],
  [
    'an event added between others',
    () => {
      const here = at('PayoutRejected')
      const event = events()[here]
      if (!event) throw new Error('There is no such event')
      const later = events()
        .slice(here)
        .map((each) => ({
          ...each,
          position: toPosition(String(Number(each.position) + 1)),
          revision: each.revision + (each.stream === event.stream ? 1 : 0),
        }))
      return [
        ...events().slice(0, here),
        { ...event, id: '00000000-0000-4000-8000-000000000000', type: 'PayoutApproved' },
        ...later,
      ]
    },
  ],
]

/** A file without some of its entries, whose proof is made again for those that are left: what the firm can make. */
async function without(content: AccountExport, isLeft: (event: ExportedEvent) => boolean): Promise<AccountExport> {
  const kept = content.events.filter((event) => !isLeft(event))
  const indexes = kept.flatMap(({ index }) => index ?? [])
  const log = firm.logOf(firm.events)
  const inclusion = await log.inclusionOf([...indexes, firm.covered - 1], firm.covered)
  return { ...content, events: kept, inclusion: inclusion.map((hash) => hash.toString('base64')) }
}

const ofAccount = ({ stream }: ExportedEvent) => stream === 'account-ada00000-a1'
const isProven = ({ index }: ExportedEvent) => index !== null
const withHeads = (content: AccountExport, heads: Partial<NonNullable<AccountExport['heads']>>): object => ({
  ...content,
  heads: { ...content.heads, ...heads },
})
const streamsOf = ({ heads }: AccountExport) => heads?.streams ?? []

/** The ends of streams, left out or told otherwise. */
const withoutEnds: readonly (readonly [string, (content: AccountExport) => Promise<object> | object])[] = [
  [
    'without the last proven entries of the account',
    (content) => {
      const own = content.events.filter(ofAccount)
      const last = own.filter(isProven).slice(-1)
      return without(content, (event) => last.includes(event) || (ofAccount(event) && !isProven(event)))
    },
  ],
  ['without the stream of the account', (content) => without(content, ofAccount)],
  ['without the stream of the user', (content) => without(content, ({ stream }) => stream === 'user-ada00000')],
  ['without the ends of streams', (content) => ({ ...content, heads: null })],
  ['with the end of one stream only', (content) => withHeads(content, { streams: streamsOf(content).slice(1) })],
  ['with no end at all', (content) => withHeads(content, { streams: [] })],
  [
    'with one end twice',
    (content) => withHeads(content, { streams: [...streamsOf(content), ...streamsOf(content).slice(0, 1)] }),
  ],
  [
    'with the ends of two streams exchanged',
    (content) => {
      const [one, other] = streamsOf(content)
      return withHeads(content, {
        streams:
          one && other
            ? [
                { ...one, stream: other.stream },
                { ...other, stream: one.stream },
              ]
            : [],
      })
    },
  ],
  [
    'with an earlier end',
    (content) =>
      withHeads(content, {
        streams: streamsOf(content).map(({ found, ...rest }) => ({
          ...rest,
          found: found && { ...found, revision: found.revision - 1 },
        })),
      }),
  ],
  [
    'with an end that is told to be none',
    (content) => withHeads(content, { streams: streamsOf(content).map((each) => ({ ...each, found: null })) }),
  ],
  [
    'with ends of fewer entries',
    (content) => {
      const event = content.heads?.event
      return event
        ? withHeads(content, { event: { ...event, data: event.data.replace(/"size":\d+/, '"size":20') } })
        : content
    },
  ],
  [
    'with the ends under an earlier checkpoint',
    async (content) => {
      const log = firm.logOf(firm.events, firm.keys[1], firm.sizes.at(-2))
      const earlier = accountExport.parse(JSON.parse(await firm.fileOf('trader', firm.events, log)))
      return { ...content, heads: earlier.heads }
    },
  ],
]

describe.each(['without', 'with'])('an export of an altered log, %s a trusted key', (which) => {
  it.each(rows)('is refused: %s', async (_, tamper) => {
    for (const kind of exportKinds) {
      // The portal makes no file of a stream that does not have what was sealed.
      const file = await firm.fileOf(kind, tamper()).catch((error: unknown) => error)
      if (typeof file === 'string') expect((await refused(file, trustedOf(which))).outcome).toBe('altered')
      else expect(file).toBeInstanceOf(MissingEvents)
    }
  })

  it('is refused: a log, sealed by the firm itself, that names another member of staff than the hash beside the name', async () => {
    const tellings = [
      replaced(at('PayoutApproved'), (event) => ({ ...event, metadata: event.metadata.replace('"erin"', '"dana"') })),
      replaced(at('UserBanned'), (event) => ({ ...event, metadata: event.metadata.replace('"dana"', '"mallory"') })),
      replaced(at('UserBanned'), (event) => ({
        ...event,
        data: event.data.replace(/"staffHash":"[0-9a-f]{32}"/, `"staffHash":"${'0'.repeat(32)}"`),
      })),
    ].map(rechained)
    for (const details of tellings)
      expect(
        (await refused(await firm.fileOf('auditor', details, firm.logOf(details)), trustedOf(which))).says,
      ).toMatch(/names another member of staff than its hash/)
  })

  it('is refused: an event changed that no checkpoint covers, for its successor names it', async () => {
    const newest = events().findLast(({ type }) => type === 'BalanceChanged')
    const forged = replaced(events().length - 2, (event) => ({
      ...event,
      data: event.data.replace('"to":"', '"to":"9'),
    }))
    expect(newest?.position).toBe(events().at(-3)?.position)
    expect((await refused(await firm.fileOf('auditor', forged), trustedOf(which))).says).toMatch(
      /does not follow the entry before it/,
    )
  })

  it('is refused: everything signed again with another key', async () => {
    const content = contentOf(firm.files.auditor)
    const note = (await firm.logOf(events(), stranger).newest())?.note
    const keys = [{ id: stranger.id, publicKey: stranger.publicKey, endorsement: null }]
    const file = signedFile({ ...content, checkpoint: note ?? null, keys }, stranger)
    // Without a trusted key the verification names the key, and its words ask to compare it.
    if (which === 'with')
      expect((await refused(file, trustedOf(which))).says).toMatch(/^Not genuine: it is signed with key/)
    else expect(await genuine(file)).toMatchObject({ keyId: await keyIdOf(stranger.publicKey), isTrusted: false })
  })

  it('is refused: another key introduced without a signature of the key before it', async () => {
    const content = contentOf(firm.files.auditor)
    for (const endorsement of [
      null,
      stranger.sign(endorsementText(firm.keys[1].id, stranger)),
      firm.keys[0].sign(endorsementText(firm.keys[0].id, stranger)),
    ]) {
      const keys = [...content.keys, { id: stranger.id, publicKey: stranger.publicKey, endorsement }]
      expect((await refused(signedFile({ ...content, keys }, stranger), trustedOf(which))).says).toMatch(
        /does not follow the key before it/,
      )
    }
  })

  it('is refused: a checkpoint by a key that is not in the file', async () => {
    const note = (await firm.logOf(events(), stranger).newest())?.note
    const file = signedFile({ ...contentOf(firm.files.auditor), checkpoint: note ?? null }, firm.keys[1])
    expect((await refused(file, trustedOf(which))).says).toMatch(/checkpoint is not signed by one of its keys/)
  })

  it('proves less with an older checkpoint in place of the newest, and says so', async () => {
    const file = await firm.fileOf('auditor', events(), firm.logOf(events(), firm.keys[1], firm.sizes.at(-2)))
    const [less, all] = [await genuine(file, trustedOf(which)), await genuine(firm.files.auditor, trustedOf(which))]
    expect(less.proven).toBeLessThan(all.proven)
    expect(sentenceOf(less)).toMatch(/the newest \d+ are not sealed yet\.$/)
  })

  it('is not proven before the first checkpoint', async () => {
    const file = await firm.fileOf('trader', events(), firm.logOf(events(), firm.keys[1], 0))
    expect(await refused(file, trustedOf(which))).toMatchObject({
      outcome: 'unproven',
      says: expect.stringMatching(/^Nothing in this file is proven yet/),
    })
  })

  it('is not made when the newest sealed events were cut off', async () => {
    const cut = events().slice(0, firm.covered - 2)
    await expect(firm.fileOf('trader', cut)).rejects.toThrow(MissingEvents)
  })

  it('is not refused when only events were cut off that no checkpoint covers', async () => {
    const cut = events().slice(0, firm.covered)
    expect(await genuine(await firm.fileOf('trader', cut), trustedOf(which))).toMatchObject({
      proven: (await genuine(firm.files.trader)).proven,
    })
  })

  it.each(withoutEnds)('is refused: signed by the firm itself, %s', async (_, forge) => {
    for (const kind of exportKinds) {
      const forged = signedFile(JSON.parse(JSON.stringify(await forge(contentOf(firm.files[kind])))), firm.keys[1])
      expect((await refused(forged, trustedOf(which))).outcome).toBe('altered')
    }
  })

  it('is not refused when the firm rebuilt everything with its own key: only older copies show it', async () => {
    const rebuilt = rechained(
      replaced(at('PayoutRequested'), (event) => ({ ...event, data: event.data.replace('7814.00', '9814.00') })),
    )
    const file = await firm.fileOf('auditor', rebuilt, firm.logOf(rebuilt))
    expect((await genuine(file, trustedOf(which))).stateAfter(13).accounts[0]?.payouts[0]?.amount).toBe('9814.00')
  })
})

describe('the ledger in an export', () => {
  it('is added up', async () => {
    const verification = await genuine(firm.files.trader)
    expect(verification.ledgers).toEqual([{ account: 'ada00000-a1', entries: 4, sum: 4_400_000, faultAt: null }])
    expect(provesOf(verification, [])).toContain(
      'The ledger of account ada00000-a1 adds up: 4 entries come to its balance of $44,000.00.',
    )
  })

  it('is named where an entry does not begin with the sum of those before it, though all of it was recorded so', async () => {
    const entries = events().flatMap(({ type, stream }, n) =>
      type === 'BalanceChanged' && /ada/.test(stream) ? n : [],
    )
    const second = entries[1] ?? -1
    const wrong = rechained(
      replaced(second, (event) => ({ ...event, data: event.data.replace('"from":"5', '"from":"6') })),
    )
    const { outcome, says } = await refused(await firm.fileOf('auditor', wrong, firm.logOf(wrong)))
    expect(outcome).toBe('unbalanced')
    expect(says).toBe(
      `Not in order: the ledger of account ada00000-a1 does not add up. Entry #${Number(events()[second]?.position)} does not begin with the balance that the entries before it come to.`,
    )
  })
})

describe('an enrolment in an export', () => {
  const terms = presetTerms('two-step', 100_000)
  const { hash } = hashedTerms(terms)
  const fileOf = async (enrolled: NonNullable<ExportedAccountOptions['enrolled']>, kind: ExportKind = 'auditor') => {
    const enrolledFirm = await exportedAccount({ enrolled })
    await enrolledFirm.close()
    return enrolledFirm.files[kind]
  }

  it.each(exportKinds)('names the terms that its stage has, also for a %s', async (kind) => {
    const file = await fileOf({ terms, hash, acceptedHash: hash }, kind)
    expect((await genuine(file)).outcome).toBe('genuine')
    const [begun] = contentOf(file).events.filter(({ type }) => type === 'StageBegun')
    expect(JSON.parse(begun?.data ?? '')).toMatchObject({ hash, terms })
  })

  it.each([
    ['its hash', 'TraderEnrolled', inData(hash, 'f'.repeat(64))],
    ['its programme', 'TraderEnrolled', inData('two-step-100000', 'one-step-100000')],
    ['a limit of its stage', 'StageBegun', inData('"percent":"10"', '"percent":"12"')],
    ['the acceptance', 'TermsAccepted', inData(hash, 'f'.repeat(64))],
  ] as const)('is refused where the file has another: %s', async (_, type, forge) => {
    const file = await fileOf({ terms, hash, acceptedHash: hash })
    const forged = edited(contentOf(file), type, forge)
    expect(forged).not.toEqual(contentOf(file))
    expect((await refused(JSON.stringify(forged))).outcome).toBe('altered')
    expect((await refused(signedFile(forged, firm.keys[1]))).outcome).toBe('altered')
  })

  it('is refused where the firm recorded other terms than it names, though all of it was recorded so', async () => {
    const stricter = { ...terms, accountSize: '90000.00' }
    const { outcome, says } = await refused(await fileOf({ terms: stricter, hash, acceptedHash: hash }))
    expect(outcome).toBe('unbalanced')
    expect(says).toMatch(/^Not in order: the terms in entry #\d+ \(StageBegun\) are not those that its enrolment names/)
    const other = hashedTerms(stricter).hash
    expect((await refused(await fileOf({ terms, hash, acceptedHash: other }))).says).toMatch(
      /the accepted terms in entry #\d+ \(TermsAccepted\) are not those that its enrolment names/,
    )
  })
})

it.each([
  ['c2sp.org/tlog-proof@v1\nextra e30=\n', /^This is a receipt for one entry/],
  ['%PDF-1.7\n', /^This is a PDF\. A certificate is checked on its own page/],
  ['Number,Time\n', /^This is not a Proofdesk export/],
])('says what %j is instead of a history', async (text, says) => {
  expect(await refused(text)).toMatchObject({ outcome: 'foreign', says: expect.stringMatching(says) })
})

describe('trust', () => {
  it('extends from a key to its successors, and to no predecessor', async () => {
    const [first, second] = await Promise.all(firm.keys.map(({ publicKey }) => keyIdOf(publicKey)))
    const byFirst = await firm.fileOf('trader', events(), firm.logOf(events(), firm.keys[0]))
    // 0.2.0 showed half of the digits.
    for (const trusted of [first ?? '', shortKeyId(first ?? '')]) {
      expect((await genuine(firm.files.trader, [trusted])).isTrusted).toBe(true)
      expect((await genuine(byFirst, [trusted])).keyId).toBe(second)
    }
    expect((await refused(byFirst, [second ?? ''])).says).toContain(`signed with key ${first}`)
    // Half of the digits that are right are not enough.
    const other = `${first?.slice(0, 16)}0123456789abcdef`
    expect((await refused(firm.files.trader, [other])).outcome).toBe('altered')
    expect((await refused(firm.files.trader, ['0123456789abcdef'])).outcome).toBe('altered')
  })
})

describe('parts that the firm itself would have to get wrong', () => {
  it.each([
    [
      'a hash that is not in its only form',
      (content: AccountExport) => ({
        ...content,
        inclusion: content.inclusion.map((hash) => hash.replace(/.=$/, 'B=')),
      }),
    ],
    [
      'a key that is not in its only form',
      (content: AccountExport) => ({
        ...content,
        keys: content.keys.map((key) => ({ ...key, publicKey: key.publicKey.replace(/.=$/, 'B=') })),
      }),
    ],
  ] as const)('are refused in words: %s', async (_, forge) => {
    expect((await refused(signedFile(forge(contentOf(firm.files.auditor)), firm.keys[1]))).outcome).toBe('altered')
  })
})

describe('a file that is no export', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'PK\u0003\u0004'],
    ['a number', '1'],
    ['a list', '[]'],
    ['other JSON', '{"exportedAt":"2026-11-22T00:00:00.000Z","user":{}}'],
  ])('is not taken for an altered one: %s', async (_, text) => expect((await refused(text)).outcome).toBe('foreign'))

  it('of another format is to be downloaded again', async () => {
    const verification = await refused('{"format":"proofdesk export 1","userId":"ada00000","facts":[],"proof":{}}')
    expect(verification).toMatchObject({
      outcome: 'foreign',
      says: expect.stringMatching(/Download the history again/),
    })
  })
})

describe('a file of 3 MB that someone made to be slow', () => {
  const filled = (item: string) => `[${Array.from({ length: 3_000_000 / (item.length + 1) }, () => item).join(',')}]`
  const content = () => contentOf(firm.files.trader)
  /** The trader's file with a part in the place of its own. */
  const withPart = (name: string, part: string) =>
    `${JSON.stringify({ ...content(), [name]: undefined }).slice(0, -1)},"${name}":${part}}`
  const key = () => JSON.stringify(content().keys[0])

  it.each<readonly [string, () => string]>([
    ['entries that are none', () => withPart('events', filled('{}'))],
    ['entries that are texts', () => withPart('events', filled('"a"'))],
    ['keys that are none', () => withPart('keys', filled('{}'))],
    ['more keys than any firm has', () => withPart('keys', filled(key()))],
    ['hashes that are none', () => withPart('inclusion', filled('0'))],
    [
      'ends of streams that are none',
      () => withPart('heads', `{"event":${JSON.stringify(content().heads?.event)},"streams":${filled('{}')}}`),
    ],
    [
      'unknown parts',
      () =>
        `${JSON.stringify(content()).slice(0, -1)}${Array.from({ length: 200_000 }, (_, n) => `,"x${n}":0`).join('')}}`,
    ],
    [
      'disclosures that are none',
      () =>
        withPart(
          'events',
          `[${JSON.stringify({ ...content().events[0], disclosures: undefined }).slice(0, -1)},"disclosures":${filled('0')}}]`,
        ),
    ],
  ])('is refused at its first fault: %s', { timeout: 20_000 }, async (_, file) => {
    expect((await refused(file())).says).toMatch(
      /^Altered: a part of the file is missing, empty, unknown or no such thing/,
    )
  })
})

it('may be indented by another program, which changes nothing that it says', async () => {
  expect((await verifyExport(JSON.stringify(JSON.parse(firm.files.trader), null, 2))).outcome).toBe('genuine')
})
