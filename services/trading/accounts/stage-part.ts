import { type RecordField, recordPart } from '#services/framework/shown-state.ts'
import { AuditStage } from './account-api.ts'
import { payingStage, rulesOfStage, type Stage } from '#services/trading/stream/stage.ts'

const section = 'Payout terms'
const field = (label: string, kind: RecordField['kind']): RecordField => ({ label, kind, section, unset: 'none' })

/** The terms of an account at a moment, as people read them. */
export const stagePart = recordPart({
  schema: AuditStage,
  fields: {
    terms: field('Terms', 'text'),
    accountSize: field('Account Size', 'money'),
    split: field("Trader's Share in Percent", 'text'),
    observations: field('Observations', 'text'),
  },
  show: (stage: Stage | null) => ({
    terms: stage?.terms.name ?? null,
    accountSize: stage?.terms.accountSize ?? null,
    split: splitOf(payingStage(stage)),
    observations: stage?.ofProgramme ? stage.known.list.size : null,
  }),
})

function splitOf(stage: Stage | null): string | null {
  return (stage && rulesOfStage(stage).payouts?.terms.split) ?? null
}
