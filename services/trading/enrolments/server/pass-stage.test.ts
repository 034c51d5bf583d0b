import { UserDetails } from '#services/trading/traders/trader-api.ts'
import { createReact } from '#services/portal/modules.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { accountId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { passStage } from '#services/trading/stream/account.ts'
import { Task } from '#services/trading/accounts/task-api.ts'
import { read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'

let portal: Portal
let admin: Browser
let logins = 90_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const context = systemContext('a test', 'a test')

/** A trader of a programme whose account trades. */
async function enrolled(programme = 'two-step-100000'): Promise<Trader> {
  const trader = await portal.trader()
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme })
  await login(trader, 1)
  return trader
}
const login = (trader: Trader, number: number) =>
  admin.patch(`/api/admin/accounts/${trader.id}-a${number}`, wholeLogin(String(++logins)))
const pass = async (trader: Trader, number: number) => {
  const { repositories, policyDependencies } = portal.running.parts
  const id = accountId.parse(`${trader.id}-a${number}`)
  const passed = await repositories.of(accountStreams).decide(id, context, ({ account }) => passStage(account))
  return createReact(policyDependencies)(passed)
}
const typesOf = async (stream: string) => (await portal.events(stream)).map(({ type }) => type)
const tasksOf = async ({ id }: Trader) =>
  read(Task.array(), await admin.get('/api/admin/tasks', await portal.atEnd())).filter(({ userId }) => userId === id)

describe('a stage that is passed', () => {
  it('closes its account with its status, and opens that of the next stage with tasks for staff', async () => {
    const trader = await enrolled()
    await admin.patch(`/api/admin/accounts/${trader.id}-a1`, { balance: '108000.00' })
    await pass(trader, 1)
    expect((await portal.events(`account-${trader.id}-a1`)).slice(-2)).toMatchObject([
      { type: 'StagePassed', data: { enrolmentId: `${trader.id}-e1`, stage: 0, name: 'Phase 1' } },
      { type: 'AccountClosed', data: { status: 'active', cause: 'passed', wasOpen: true } },
    ])
    expect((await portal.userEvents(trader.id)).slice(-2)).toMatchObject([
      { type: 'AccountAssigned', data: { accountId: `${trader.id}-a2` } },
      {
        type: 'NextStageAssigned',
        data: { enrolmentId: `${trader.id}-e1`, stage: 1, account: `${trader.id}-a2` },
      },
    ])
    expect(await typesOf(`account-${trader.id}-a2`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
    expect(read(OwnAccount, await trader.get('/api/user/account', await portal.atEnd()))).toMatchObject({
      ...{ id: `${trader.id}-a2`, status: 'pending', phase: 'Phase 2', balance: '100000.00', profitLoss: '0.00' },
      ...{ profitTarget: '5000.00', programme: { stage: 1, enrolment: `${trader.id}-e1` } },
    })
    const passed = `/api/user/account?account=${trader.id}-a1`
    expect(read(OwnAccount, await trader.get(passed))).toMatchObject({ open: false, status: 'active' })
    expect(await tasksOf(trader)).toMatchObject([
      { kind: 'close-on-platform', account: `${trader.id}-a1` },
      { kind: 'platform-login', account: `${trader.id}-a2`, stage: 'Phase 2' },
    ])
    const details = read(UserDetails, await admin.get(`/api/admin/user/${trader.id}`))
    expect(details.enrolments).toMatchObject([
      {
        accounts: [
          { stage: 0, account: `${trader.id}-a1` },
          { stage: 1, account: `${trader.id}-a2` },
        ],
      },
    ])
    await portal.mailWith(trader.email, ({ subject }) => subject === 'You passed Phase 1')
  })

  it('leads to the funded stage, which is the last', async () => {
    const trader = await enrolled()
    await pass(trader, 1)
    await login(trader, 2)
    await pass(trader, 2)
    await login(trader, 3)
    const account = read(OwnAccount, await trader.get('/api/user/account', await portal.atEnd()))
    expect(account).toMatchObject({
      ...{ id: `${trader.id}-a3`, status: 'active', phase: 'Funded', profitTarget: null },
      programme: { funded: true, stage: 2 },
      payout: { available: '0.00', split: '80' },
    })
    await expect(pass(trader, 3)).rejects.toThrow('A funded stage is not passed')
  })

  it('enables payouts of the funded account that it leads to, and the trader can ask for one at once', async () => {
    const trader = await enrolled()
    await pass(trader, 1)
    await login(trader, 2)
    await pass(trader, 2)
    await login(trader, 3)
    expect(await typesOf(`account-${trader.id}-a3`)).toEqual([
      ...['AccountOpened', 'BalanceChanged', 'StageBegun', 'PayoutsEnabled'],
      ...['PlatformChanged', 'PlatformLoginAssigned', 'AccountStatusChanged'],
    ])
    expect(await tasksOf(trader)).not.toContainEqual(expect.objectContaining({ kind: 'enable-payouts' }))
    expect(read(OwnAccount, await trader.get('/api/user/account', await portal.atEnd()))).toMatchObject({
      ...{ phase: 'Funded', payoutEnabled: true },
    })
  })

  it('is passed once, and only by an open account of a programme that is not breached', async () => {
    const trader = await enrolled()
    await pass(trader, 1)
    await expect(pass(trader, 1)).rejects.toThrow('This account is closed')
    expect(await typesOf(`account-${trader.id}-a3`)).toEqual([])
    await expect(pass(await portal.trader(), 1)).rejects.toThrow('This account has no programme')
    const breached = await enrolled()
    await admin.patch(`/api/admin/accounts/${breached.id}-a1`, { status: 'breached' })
    await expect(pass(breached, 1)).rejects.toThrow('A breached account passes no stage')
  })

  it('whose process dies gets its next account by the worker', async () => {
    const trader = await enrolled()
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(accountId.parse(`${trader.id}-a1`), context, ({ account }) => passStage(account))
    await until(async () => (await typesOf(`account-${trader.id}-a2`)).includes('StageBegun'), 'the next stage')
    expect(await typesOf(`account-${trader.id}-a2`)).toEqual(['AccountOpened', 'BalanceChanged', 'StageBegun'])
    expect((await typesOf(`user-${trader.id}`)).filter((type) => type === 'NextStageAssigned')).toHaveLength(1)
  })
})
