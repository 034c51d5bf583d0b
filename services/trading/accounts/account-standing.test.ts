import fc from 'fast-check'
import { shownFloor } from '#services/rules/floor.ts'
import { describe, expect, it } from 'vitest'
import type { EntryKind } from '#services/trading/stream/ledger-vocabulary.ts'
import { type GivenChange, withEntries } from '#test-support/balance-changes.ts'
import { accountStanding, type KnownAccount } from './account-standing.ts'

const at = (day: number, hour = 9) => Date.UTC(2026, 2, day, hour)
const balance = (moment: number, dollars: number, kind?: EntryKind): GivenChange => ({
  at: moment,
  number: moment,
  balance: Math.round(dollars * 100),
  beginsPhase: false,
  ...(kind && { kind }),
})
const phase = (moment: number) => ({ at: moment, number: moment, balance: null, beginsPhase: true })

const now = at(3, 14)
const opened = [balance(at(0), 0), balance(at(1), 10_000), phase(at(1))]
type Given = Omit<KnownAccount, 'changes'> & { readonly changes: readonly GivenChange[] }
const account: Given = {
  dailyDrawdownLimit: '5% / $500',
  overallLossLimit: '10%',
  profitTarget: '1000',
  profitLoss: 0,
  isBreached: false,
  limitEvents: { dailyDrawdownLimit: 7, overallLossLimit: 9, profitTarget: 8 },
  changes: opened,
}
const standing = (changes: Partial<Given>, when = now) => {
  const given = { ...account, ...changes }
  return accountStanding({ ...given, changes: withEntries(given.changes) }, when)
}
const after = (...changes: readonly GivenChange[]) => [...opened, ...changes]
/** Floor and room of each limit, in dollars. */
const limits = ({ line }: ReturnType<typeof standing>) =>
  Object.fromEntries(
    line.rules.flatMap(({ kind, figures: { floor, room } }) =>
      floor && room !== undefined ? [[kind, [shownFloor(floor) / 100, room / 100]]] : [],
    ),
  )

describe('where an account stands', () => {
  it('is the limit below the beginning of the phase, and below the balance at midnight UTC', () => {
    const changes = after(balance(at(2), 10_300), balance(at(3), 10_250))
    const stands = standing({ changes, profitLoss: 25_000 })
    expect(limits(stands)).toEqual({ 'maximum-loss': [9_000, 1_250], 'daily-loss': [9_800, 450] })
    expect(stands.line).toMatchObject({ status: 'in-progress', nearest: 'daily-loss', cause: null, payout: null })
    expect(stands.line.rules).toMatchObject([
      { kind: 'maximum-loss', event: 9, amount: 100_000, lost: 0, state: 'kept' },
      { kind: 'daily-loss', event: 7, amount: 50_000, lost: 5_000, state: 'kept' },
      {
        kind: 'profit-target',
        event: 8,
        amount: 100_000,
        figures: { target: '11000.00', missing: '750.00' },
        state: 'open',
      },
    ])
    expect(stands.result).toEqual({ today: -5_000, phase: 25_000, total: 25_000 })
    expect(stands.began).toEqual({ at: at(1), balance: 1_000_000 })
    expect(stands.resetsAt).toBe(at(4, 0))
  })

  it('has a new day from midnight UTC on, and a loss until then', () => {
    const changes = after(balance(at(3), 9_600))
    expect(standing({ changes }, at(4, 0) - 1).result.today).toBe(-40_000)
    const next = standing({ changes }, at(4, 0))
    expect(next.result.today).toBe(0)
    expect(limits(next)).toMatchObject({ 'daily-loss': [9_100, 500] })
    expect(next.resetsAt).toBe(at(5, 0))
  })

  it('sees each change, also two within a second of midnight', () => {
    const changes = after(balance(at(3, 0) - 1, 10_200), balance(at(3, 0), 10_100), balance(at(3, 0) + 1, 10_050))
    expect(standing({ changes }).result.today).toBe(-15_000)
  })

  it('takes no payout for a loss', () => {
    const paid = balance(at(3, 11), 10_300, 'payout')
    const changes = after(balance(at(2), 10_600), balance(at(3), 10_550), paid)
    const stands = standing({ changes, profitLoss: 55_000 })
    expect(limits(stands)).toEqual({ 'maximum-loss': [9_000, 1_300], 'daily-loss': [9_850, 450] })
    expect(stands.line.rules).toMatchObject([{ lost: 0, taken: 25_000 }, { lost: 5_000, taken: 0 }, {}])
    expect(stands.result).toEqual({ today: -5_000, phase: 55_000, total: 55_000 })
    expect(stands.line.rules[2]).toMatchObject({ figures: { target: '10750.00', missing: '450.00' } })
  })

  /** The example of docs/api.md: staff type balance and profit at once, and a payout follows. */
  const typedAtOnce = (dollars: number, profit: number, ...later: readonly GivenChange[]) => [
    ...[balance(at(0), 0), { ...balance(at(2), dollars), profitLoss: profit * 100 }, phase(at(2))],
    ...later,
  ]

  it('begins below a profit that was typed with the first balance, so that its payout is no loss', () => {
    const changes = typedAtOnce(10_500, 500, balance(at(3), 10_100, 'payout'))
    const stands = standing({ changes, profitLoss: 50_000, overallLossLimit: '$1,000' })
    expect(stands.began).toEqual({ at: at(2), balance: 1_000_000 })
    expect(limits(stands)).toEqual({ 'maximum-loss': [9_000, 1_100], 'daily-loss': [9_600, 500] })
    expect(stands.line.rules[0]).toMatchObject({ amount: 100_000, lost: 0, percent: 0 })
    expect(stands.result).toEqual({ today: 0, phase: 50_000, total: 50_000 })
    expect(standing({ changes: typedAtOnce(10_500, 500), profitLoss: 50_000 }, at(2)).result.today).toBe(0)
  })

  it('has lost what was typed as a loss with the first balance, and no payout beside it', () => {
    const stands = standing({ changes: typedAtOnce(9_700, -300, balance(at(3), 9_500, 'payout')), profitLoss: -30_000 })
    expect(stands.began?.balance).toBe(1_000_000)
    expect(stands.line.rules[0]).toMatchObject({ amount: 100_000, lost: 30_000, taken: 20_000, percent: 30 })
    expect(limits(stands)['maximum-loss']).toEqual([9_000, 500])
  })

  it('keeps a balance that is no more than the profit typed with it', () => {
    const stands = standing({ changes: typedAtOnce(500, 500), profitLoss: 50_000 })
    expect(stands.began?.balance).toBe(50_000)
  })

  it.each([
    ['one change', typedAtOnce(10_500, 500, balance(at(3), 10_100, 'payout'))],
    ['two', [...opened.slice(0, 1), balance(at(2), 10_500), balance(at(3), 10_100, 'payout')]],
  ])('has its target where nothing remains by the recorded profit, typed in %s', (_, changes) => {
    const { line, progress } = standing({ changes, profitLoss: 50_000 })
    expect(progress).toMatchObject({ remaining: 50_000 })
    expect(line.rules[2]).toMatchObject({ figures: { target: '10600.00', missing: '500.00' }, state: 'open' })
    const beyond = standing({ changes, profitLoss: 110_000 }).line
    expect(beyond.rules[2]).toMatchObject({ figures: { target: '10000.00', missing: '0.00' }, state: 'met' })
  })

  it('takes what was booked back as if it had never been paid', () => {
    const paid = balance(at(3, 10), 10_350, 'payout')
    const back = balance(at(3, 13), 10_600, 'payout-reversed')
    const stands = standing({ changes: after(balance(at(2), 10_600), paid, back) })
    expect(limits(stands)).toEqual({ 'maximum-loss': [9_000, 1_600], 'daily-loss': [10_100, 500] })
    expect(stands.result).toEqual({ today: 0, phase: 60_000, total: 60_000 })
  })

  it('begins anew with a balance that is set together with a phase', () => {
    const next = after(balance(at(2), 9_700), balance(at(3), 20_000, 'correction'), phase(at(3)))
    const stands = standing({ changes: next })
    expect(limits(stands)).toEqual({ 'maximum-loss': [18_000, 2_000], 'daily-loss': [19_500, 500] })
    expect(stands.result).toEqual({ today: 0, phase: 0, total: -30_000 })
    expect(standing({ changes: after(phase(at(2))) }).began).toEqual({ at: at(1), balance: 1_000_000 })
  })

  it('goes on after a limit was touched, since staff decide, and says that it is reached while it is', () => {
    const low = after(balance(at(2), 9_000))
    const reached = standing({ changes: low }, at(2, 10)).line
    expect(reached).toMatchObject({ status: 'in-progress', rules: [{ state: 'warned' }, { state: 'warned' }, {}] })
    expect(limits(standing({ changes: low }, at(2, 10)))).toEqual({
      'maximum-loss': [9_000, 0],
      'daily-loss': [9_500, 0],
    })
    const corrected = standing({ changes: [...low, balance(at(2, 11), 9_900)] }, at(2, 12))
    expect(limits(corrected)).toEqual({ 'maximum-loss': [9_000, 900], 'daily-loss': [9_500, 400] })
    expect(corrected.line.rules).toMatchObject([{ state: 'kept' }, { state: 'kept' }, {}])
  })

  it('goes on after the target was reached', () => {
    const stands = standing({ changes: after(balance(at(2), 11_000), balance(at(3), 10_900)), profitLoss: 90_000 })
    expect(stands.line).toMatchObject({
      status: 'in-progress',
      rules: [{}, {}, { state: 'open', figures: { missing: '100.00' } }],
    })
    expect(limits(stands)).toMatchObject({ 'daily-loss': [10_500, 400] })
  })

  it('shows the breach that staff recorded', () => {
    expect(standing({ isBreached: true }).line).toMatchObject({ status: 'breached', cause: null })
  })

  it('reckons with no text that is not understood', () => {
    const stands = standing({
      dailyDrawdownLimit: 'As agreed',
      overallLossLimit: '10%, trailing',
      profitTarget: 'Much',
    })
    expect(stands.line).toMatchObject({ rules: [], nearest: null, balance: 1_000_000 })
    expect(stands.progress).toBeNull()
  })

  it('has no floor before the first money, but progress to a target in dollars', () => {
    const stands = standing({ changes: opened.slice(0, 1), profitLoss: 25_000 })
    expect(stands).toMatchObject({ began: null, line: { rules: [], balance: 0, day: 20_515 }, agrees: false })
    expect(stands.progress).toEqual({ target: 100_000, percent: 25, remaining: 75_000 })
    expect(standing({ changes: [], profitTarget: '10%' })).toMatchObject({ began: null, progress: null })
  })

  it('shows a floor within a cent as the highest cent that breaches', () => {
    const stands = standing({ changes: [balance(at(1), 333.33)], overallLossLimit: '5%' })
    expect(stands.line.rules[0]).toMatchObject({
      amount: 1_667,
      figures: { floor: { exact: { cents: 31_666 }, touch: 'breach' }, room: 1_667 },
    })
  })

  it('knows whether the recorded profit agrees with the balance', () => {
    const changes = after(balance(at(2), 10_250))
    expect(standing({ changes, profitLoss: 25_000 }).agrees).toBe(true)
    expect(standing({ changes, profitLoss: 24_900 }).agrees).toBe(false)
  })
})

describe('the progress to the profit target', () => {
  it.each([
    ['1000', 25_000, { target: 100_000, percent: 25, remaining: 75_000 }],
    ['1000', 99_999, { target: 100_000, percent: 99.9, remaining: 1 }],
    ['1000', 150_000, { target: 100_000, percent: 100, remaining: 0 }],
    ['1000', -50_000, { target: 100_000, percent: 0, remaining: 150_000 }],
    ['10% / $1,000', 25_000, { target: 100_000, percent: 25, remaining: 75_000 }],
    ['8%', 20_000, { target: 80_000, percent: 25, remaining: 60_000 }],
    [null, 25_000, { target: 0, percent: 0, remaining: 0 }],
    ['0', 25_000, { target: 0, percent: 0, remaining: 0 }],
    ['As agreed', 25_000, null],
  ])('of %j with a profit of %i cents is %j', (profitTarget, profitLoss, progress) => {
    expect(standing({ profitTarget, profitLoss }).progress).toEqual(progress)
  })
})

it('says for any history the room that the balance has above the floor, and never less than nothing', () => {
  const history = fc.array(fc.record({ dollars: fc.integer({ min: 1, max: 20_000 }), hours: fc.nat(60) }), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(history, (given) => {
      let moment = at(1)
      const changes = after(...given.map(({ dollars, hours }) => balance((moment += hours * 3_600_000 + 1), dollars)))
      const { line, result } = standing({ changes }, moment)
      const last = changes.findLast((change) => change.balance !== null)?.balance ?? 0
      expect(line.balance).toBe(last)
      for (const {
        figures: { floor, room },
      } of line.rules)
        if (floor && room !== undefined) expect(room).toBe(Math.max(0, last - shownFloor(floor)))
      expect(limits(standing({ changes }, moment))['maximum-loss']?.[0]).toBe(9_000)
      expect(result.phase).toBe(last - 1_000_000)
    }),
  )
})
