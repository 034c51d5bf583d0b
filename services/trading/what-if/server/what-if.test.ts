import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountIdOf, enrolmentIdOf, programmeId, userId } from '#services/framework/ids.ts'
import { programOf, read, tryDraft } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import {
  DraftedVersion,
  ListedProgramme,
  type WhatIfDifference,
  WhatIf,
} from '#services/programmes/programmes/programme-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { programmeStreams } from '#services/programmes/programmes/programme.ts'
import { runWhatIf } from './run-what-if.ts'

const PROGRAMME = 'two-step-100000'
const VERSIONS = `/api/admin/programmes/${PROGRAMME}/versions`
const preset = presetTerms('two-step', 100_000)

let portal: Portal
let admin: Browser
let bridge: Browser
let logins = 80_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  bridge = await programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
  const listed = async () => read(ListedProgramme.array(), await admin.get('/api/admin/programmes'))
  await until(async () => (await listed()).some(({ id }) => id === PROGRAMME), 'the presets')
})
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => accountIdOf(userId.parse(id), 1)
const DAY = 86_400_000
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY).toISOString()

/** A trader under the programme, whose balance was this so many days ago. */
async function traded(...balances: readonly (readonly [daysAgo: number, balance: string])[]): Promise<Trader> {
  const trader = await portal.trader()
  const account = accountOf(trader)
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
  await admin.patch(`/api/admin/accounts/${account}`, wholeLogin(String(++logins)))
  const rows = balances.map(([daysAgo, balance]) => ({
    ...{ account, at: at(daysAgo), kind: 'state', balance, equity: balance, open: false },
  }))
  expect((await bridge.post('/api/feed/observations', { rows })).status).toBe(200)
  return trader
}

type Terms = ReturnType<typeof presetTerms>
type Rule = Terms['stages'][number]['rules'][number]

/** The preset with other rules in every stage. */
function withRules(change: (rule: Rule) => Rule): Terms {
  const rulesOf = <Stage extends Terms['stages'][number]>(stage: Stage) => ({
    ...stage,
    rules: stage.rules.map(change),
  })
  return { ...preset, stages: preset.stages.map(rulesOf) }
}

const maximumLossOf = (percent: string) =>
  withRules((rule) =>
    rule.kind === 'maximum-loss' ? { ...rule, limit: { percent, of: 'account-size' as const } } : rule,
  )

async function drafted(terms: object) {
  return read(DraftedVersion, await admin.post(VERSIONS, { terms }))
}

const tried = (version: number) => tryDraft(admin, `${VERSIONS}/${version}`)

const differenceOf = ({ differences }: WhatIf, trader: Trader): WhatIfDifference | undefined =>
  differences.find(({ account }) => account === accountOf(trader))

describe('a what-if over the real history', () => {
  it('says who would be breached or passed, when, and by which rule', async () => {
    const [fallen, kept, won] = [
      await traded([3, '100000.00'], [2, '96500.00'], [1, '93000.00']),
      await traded([2, '100500.00']),
      await traded([6, '102000.00'], [5, '104000.00'], [4, '106000.00'], [3, '107000.00'], [1, '107500.00']),
    ]
    const stricter = await drafted(maximumLossOf('6'))
    const result = await tried(stricter.version)
    expect(result).toMatchObject({ state: 'done', hash: stricter.hash, counts: { breached: 1, notBreached: 0 } })
    expect([result.accounts, result.compared]).toEqual([3, 3])
    expect(differenceOf(result, fallen)).toMatchObject({
      from: { status: 'in-progress', at: null, cause: null, payout: null },
      to: { status: 'breached', cause: { rule: 'Maximum loss', floor: '94000.00', measured: '93000.00' } },
    })
    const breachedAt = Date.parse(differenceOf(result, fallen)?.to.at ?? '')
    expect(Math.abs(breachedAt - Date.parse(at(1)))).toBeLessThan(60_000)
    expect(differenceOf(result, kept)).toBeUndefined()

    const easier = await drafted(
      withRules((rule) =>
        rule.kind === 'profit-target' ? { ...rule, target: { percent: '7', of: 'account-size' as const } } : rule,
      ),
    )
    const eased = await tried(easier.version)
    expect(eased.counts).toMatchObject({ breached: 0, passed: 1 })
    expect(differenceOf(eased, won)).toMatchObject({ from: { status: 'in-progress' }, to: { status: 'passed' } })

    // The same terms change nothing; a draft without the stage has no place for anybody.
    const [funded] = preset.stages.slice(-1)
    expect((await tried((await drafted({ ...preset, name: 'Renamed' })).version)).differences).toEqual([])
    const short = await tried((await drafted({ ...preset, stages: [funded] })).version)
    expect(short.differences.length).toBe(3)
    expect(differenceOf(short, kept)).toMatchObject({ to: { status: 'in-progress', payout: { available: '0.00' } } })
  })

  it('is read in pages', async () => {
    const { version } = await drafted({ ...preset, stages: preset.stages.slice(-1) })
    const { accounts } = await tried(version)
    const seen: string[] = []
    let next: string | undefined = `${VERSIONS}/${version}/what-if?limit=1`
    while (next !== undefined) {
      const answer = await admin.get(next)
      seen.push(...read(WhatIf, answer).differences.map(({ account }) => account))
      next = /<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect([seen.length, new Set(seen).size]).toEqual([accounts, accounts])
    expect((await admin.get(`${VERSIONS}/${version}/what-if?limit=0`)).status).toBe(400)
  })

  it('is needed for just the terms that are published: a change of the draft makes it void', async () => {
    const { version, hash } = await drafted(maximumLossOf('9'))
    const path = `${VERSIONS}/${version}`
    expect(await admin.post(`${path}/publish`, { hash })).toMatchObject({
      ...{ status: 409, body: { message: 'Run the what-if of these terms first' } },
    })
    await tried(version)
    const changed = read(DraftedVersion, await admin.patch(path, { terms: maximumLossOf('8') }))
    expect((await admin.post(`${path}/publish`, { hash })).status).toBe(409)
    expect((await admin.post(`${path}/publish`, { hash: changed.hash })).status).toBe(409)
    expect(read(WhatIf, await admin.get(`${path}/what-if`, await portal.atEnd())).hash).toBe(hash)
    await tried(version)
    expect((await admin.post(`${path}/publish`, { hash: changed.hash })).status).toBe(200)
    expect((await admin.post(`${path}/what-if`)).status).toBe(409)
  })

  it('counts an account once that began two stages of the programme, on whichever pages they come', async () => {
    const trader = await traded([3, '101000.00'])
    const { repositories, readModelStore, fileStore } = portal.running.parts
    const account = accountOf(trader)
    await repositories.of(accountStreams).decide(account, systemContext('worker', 'test'), () => [
      {
        type: 'StageBegun',
        data: {
          ...{ enrolmentId: enrolmentIdOf(userId.parse(trader.id), 1), programme: programmeId.parse(PROGRAMME) },
          ...{ version: 1, hash: 'f'.repeat(64), stage: 1, terms: preset },
        },
      },
    ])
    const { version, hash } = await drafted({ ...preset, stages: preset.stages.slice(-1) })
    const id = programmeId.parse(PROGRAMME)
    await admin.get(`${VERSIONS}/${version}`, await portal.atEnd())
    await admin.get(`/api/admin/accounts/${account}/standing`, await portal.atEnd())
    const readModels = createReadModels(readModelStore)
    const paged: Pick<typeof readModels, 'find' | 'count'> = {
      count: readModels.count,
      // A document a page: as with more accounts than a page has.
      find: (projection, query) => readModels.find(projection, { ...query, limit: 1 }),
    }
    const parts = { repositories, files: fileStore, now: () => Date.now(), signal: new AbortController().signal }
    await runWhatIf({ ...parts, readModels: paged }, { id, version, hash }, systemContext('worker', 'test'))
    const result = read(WhatIf, await admin.get(`${VERSIONS}/${version}/what-if`, await portal.atEnd()))
    expect(result.differences.filter((each) => each.account === account)).toHaveLength(1)
  })

  it('records nothing of terms that were changed while it ran, and stops when the worker stops', async () => {
    const { version, hash } = await drafted(maximumLossOf('7'))
    const { repositories, readModelStore, fileStore } = portal.running.parts
    const readModels = createReadModels(readModelStore)
    const stopping = new AbortController()
    const parts = { repositories, files: fileStore, now: () => Date.now(), signal: stopping.signal }
    const id = programmeId.parse(PROGRAMME)
    const context = systemContext('worker', 'test')
    const triedIn = async () => (await repositories.of(programmeStreams).load(id)).state[version - 1]?.tried
    let reads = 0
    const changing: Pick<typeof readModels, 'find' | 'count'> = {
      count: readModels.count,
      async find(projection, query) {
        if (reads++ === 1) await admin.patch(`${VERSIONS}/${version}`, { terms: maximumLossOf('5') })
        return readModels.find(projection, query)
      },
    }
    await runWhatIf({ ...parts, readModels: changing }, { id, version, hash }, context)
    expect(await triedIn()).toBe(null)
    const { hash: now } = read(
      DraftedVersion,
      await admin.patch(`${VERSIONS}/${version}`, { terms: maximumLossOf('4') }),
    )
    stopping.abort()
    await expect(runWhatIf({ ...parts, readModels }, { id, version, hash: now }, context)).rejects.toThrow()
    expect(await triedIn()).toBe(null)
  })

  it('is asked for by administrators only, and read by all staff', async () => {
    const { version } = await drafted(maximumLossOf('3'))
    await tried(version)
    const support = await portal.member('support')
    expect((await support.post(`${VERSIONS}/${version}/what-if`)).status).toBe(403)
    expect((await support.get(`${VERSIONS}/${version}/what-if`)).status).toBe(200)
    expect((await (await portal.trader()).get(`${VERSIONS}/${version}/what-if`)).status).toBe(401)
  })

  it('covers rules about single trades: which trade would breach', async () => {
    const [short, long] = [await traded(), await traded()]
    const trade = (id: string, seconds: number) => {
      const closed = Date.now() - DAY
      return {
        ...{ at: new Date(closed).toISOString(), openedAt: new Date(closed - seconds * 1_000).toISOString() },
        ...{ kind: 'trade', id, profit: '10.00', volume: '1.00', symbol: 'EURUSD', side: 'buy' },
      }
    }
    for (const [trader, seconds] of [
      [short, 41],
      [long, 90],
    ] as const) {
      const rows = [{ account: accountOf(trader), ...trade('881', seconds) }]
      expect((await bridge.post('/api/feed/observations', { rows })).status).toBe(200)
    }
    const [first, ...others] = preset.stages
    const holding = { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 0, consequence: 'breach' } as const
    const judging = { ...preset, stages: [{ ...first, rules: [...(first?.rules ?? []), holding] }, ...others] }
    const result = await tried((await drafted(judging)).version)
    expect(differenceOf(result, short)?.to).toMatchObject({
      status: 'breached',
      cause: { rule: 'Holding time', floor: null, measured: null, trade: '881' },
    })
    expect(differenceOf(result, long)).toBeUndefined()
  })
})
