import { expect, it } from 'vitest'
import { fold } from '#services/event-sourcing/decider.ts'
import { accountIdOf, payoutId, userId } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { toCents } from '#services/rules/money.ts'
import { observation } from '#services/rules/observation.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { accountStateDecider, type AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import type { RejectionCode } from '#services/trading/stream/rejection-vocabulary.ts'
import { approvePayout } from '#services/trading/stream/payout.ts'
import { begunStage } from '#test-support/begun-stage.ts'
import { appendedEvents } from '#test-support/given-when-then.ts'
import { judgePayout, type PayoutVerdictEvent } from './payout-verdicts.ts'
import { verdictSentence } from './verification-words.ts'

/** The arithmetic of requests, approvals and rejections, printed. */

const account = accountIdOf(userId.parse('trader01'), 1)
const id = payoutId.parse(`${account}-p1`)
const NOW = Date.parse('2026-03-20T00:00:00Z')
const preset = presetTerms('two-step', 100_000)
const funded = preset.stages.length - 1
const terms: ProgrammeTerms = {
  ...preset,
  stages: preset.stages.map((stage) => ({
    ...stage,
    rules: [
      ...stage.rules,
      { kind: 'consistency', share: '40', unit: 'day', profit: 'net', since: 'last-payout', effect: 'withholds' },
      { kind: 'minimum-days', days: 5, counts: { what: 'calendar' }, since: 'stage' },
    ],
  })),
}
const won = [900, 700, 400, 270].map((profit, day) =>
  observation.parse({
    ...{ at: `2026-03-0${2 + day}T20:00:00Z`, kind: 'trade', id: `W${day}` },
    ...{ openedAt: `2026-03-0${2 + day}T10:00:00Z`, profit: `${profit}.00`, volume: '1.00' },
  }),
)
const requested: AccountStreamEvent = {
  type: 'PayoutRequested',
  data: {
    ...{ payoutId: id, amount: toCents(1_000_00), method: 'paypal', details: '', destination: null, idempotency: null },
  },
}
const recorded: AccountStreamEvent[] = [
  ...begunStage(account, terms, funded),
  { type: 'ObservationsRecorded', data: { first: 1, source: 'feed', importId: null, observations: won } },
  { type: 'BalanceChanged', data: { from: toCents(100_000_00), to: toCents(102_270_00), kind: 'trade-result' } },
]
const stateAfter = (...events: AccountStreamEvent[]) => fold(accountStateDecider, appendedEvents(events))
const rejectedFor = (code: RejectionCode): PayoutVerdictEvent => ({
  type: 'PayoutRejected',
  data: {
    ...{ payoutId: id, from: 'pending', amount: toCents(1_000_00), notes: 'Your best day is more than 40 %' },
    ...{ code, evidence: [] },
  },
})
const rejected = rejectedFor('rule')
const sentence = (judgement: ReturnType<typeof judgePayout>) => verdictSentence(judgement)

it('answers the walked dispute: the best day was within its share', () => {
  const said = sentence(judgePayout(stateAfter(...recorded, requested), rejected, NOW))
  expect(said).toContain(
    `Rejection of payout ${id} of $1,000.00: does not follow from the rules. Available $2,270.00, asked $1,000.00.`,
  )
  expect(said).toContain('best day $900.00 is 39.65 % of $2,270.00, at most 40 %')
  expect(said).toContain('19 days that count, at least 5')
  expect(said).toContain('18 days since the stage opened, at least 14')
  expect(said).toContain('The least of the profit of $2,270.00')
})

it('says what was missing of a rejection that follows', () => {
  const spike: AccountStreamEvent[] = [
    {
      type: 'ObservationCorrected',
      data: {
        ...{ observation: 1, from: won[0] ?? null, reason: 'A wrong price' },
        to: observation.parse({
          ...{ at: '2026-03-02T20:00:00Z', kind: 'trade', id: 'W0', openedAt: '2026-03-02T10:00:00Z' },
          ...{ profit: '1000.00', volume: '1.00' },
        }),
      },
    },
  ]
  const said = sentence(judgePayout(stateAfter(...recorded, ...spike, requested), rejected, NOW))
  expect(said).toContain('follows from the rules. Available $0.00, asked $1,000.00.')
  expect(said).toContain('Missing: best day $1,000.00 is 42.19 % of $2,370.00, at most 40 %.')
})

it('says the shares of an approval', () => {
  const state = stateAfter(...recorded, requested)
  const [approval] = approvePayout(state, id, { now: NOW })
  if (approval?.type !== 'PayoutApproved') throw new Error('It was not approved')
  expect(sentence(judgePayout(state, approval, NOW))).toMatch(
    /^Approval of payout .* of \$1,000\.00: follows from the rules\. .* the trader receives \$800\.00, the firm keeps \$200\.00\./,
  )
})

it('is that of a person where there were no terms, and for other reasons', () => {
  const plain: AccountStreamEvent[] = [{ type: 'AccountOpened', data: { accountId: account } }, requested]
  expect(sentence(judgePayout(stateAfter(...plain), rejected, NOW))).toBe(
    `Rejection of payout ${id} of $1,000.00: decided by a person. Asked $1,000.00, without terms. Reason: A rule of the programme.`,
  )
  expect(judgePayout(stateAfter(...recorded, requested), rejectedFor('identity'), NOW).outcome).toBe('by-person')
})
