import type { AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { type AccountId, enrolmentId, programmeId } from '#services/framework/ids.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { toCents } from '#services/rules/money.ts'

/** An account of $100,000.00 that begins a stage of the preset Two-Step, by these terms. It waits for its login. */
export function begunStage(accountId: AccountId, terms: ProgrammeTerms, stage = 0): AccountStreamEvent[] {
  return [
    { type: 'AccountOpened', data: { accountId } },
    { type: 'BalanceChanged', data: { from: toCents(0), to: toCents(100_000_00), kind: 'deposit' } },
    {
      type: 'StageBegun',
      data: {
        enrolmentId: enrolmentId.parse('trader01-e1'),
        programme: programmeId.parse('two-step-100000'),
        version: 1,
        hash: 'f'.repeat(64),
        stage,
        terms,
      },
    },
  ]
}
