import { type Cents, centsOf, toDecimal } from '#services/rules/money.ts'
import { valueOf } from '#services/rules/amount.ts'
import { decisionRules } from '#services/rules/decision-version.ts'
import { up } from '#services/rules/exact.ts'
import { shownLimit } from '#services/rules/floor.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { EnrolmentId, ProgrammeId } from '#services/framework/ids.ts'
import type { RiskLimits } from './risk-limits.ts'

/** The stage of a programme that an account is in. */

export interface ProgrammeStage {
  readonly enrolmentId: EnrolmentId
  readonly id: ProgrammeId
  readonly name: string
  readonly version: number
  readonly hash: string
  /** Its index: the first stage is 0. */
  readonly stage: number
  readonly funded: boolean
  readonly size: Cents
}

/** A stage begins with a version of its programme and its terms. */
export interface StageBeginning {
  readonly enrolmentId: EnrolmentId
  readonly programme: ProgrammeId
  readonly version: number
  readonly hash: string
  readonly stage: number
  readonly terms: ProgrammeTerms
  /** Payouts are enabled with a funded stage. */
  readonly enablesPayouts?: true | undefined
}

type StageTerms = ProgrammeTerms['stages'][number]

/** @throws {RangeError} for a stage that the programme does not have. */
export function stageTermsOf({ stages }: Pick<ProgrammeTerms, 'stages'>, index: number): StageTerms {
  const stage = stages[index]
  if (!stage) throw new RangeError(`The programme has no stage ${index}`)
  return stage
}

/**
 * The beginning of a stage under a version of its programme.
 *
 * @throws {RangeError} for a stage that the programme does not have.
 */
export function beginningOf(
  { enrolmentId, programme, version, hash }: Omit<StageBeginning, 'stage' | 'terms' | 'enablesPayouts'>,
  { terms, enablesPayouts }: { readonly terms: ProgrammeTerms; readonly enablesPayouts: boolean },
  stage: number,
): StageBeginning {
  const isEnabling = enablesPayouts && stageTermsOf(terms, stage).funded
  return { enrolmentId, programme, version, hash, stage, terms, ...(isEnabling && { enablesPayouts: true }) }
}

export function programmeStageOf({ terms, programme, ...beginning }: StageBeginning): ProgrammeStage {
  const { enrolmentId, version, hash, stage } = beginning
  const { funded } = stageTermsOf(terms, stage)
  return {
    ...{ enrolmentId, id: programme, name: terms.name, version, hash, stage, funded },
    size: centsOf(terms.accountSize),
  }
}

/**
 * The limits of a stage as text: "5% / $5000.00", the target "8000.00". Of several rules of a kind the first counts.
 *
 * @param version Of the decisions under which the stage began; without one that of 0.2.0.
 */
export function limitTextsOf({ accountSize, stages }: ProgrammeTerms, index: number, version = 1): RiskLimits {
  const { roundsFloorsUp } = decisionRules(version)
  const size = centsOf(accountSize)
  const rules = stageTermsOf({ stages }, index).rules
  const [daily, maximum, target] = [
    rules.find(({ kind }) => kind === 'daily-loss'),
    rules.find(({ kind }) => kind === 'maximum-loss'),
    rules.find(({ kind }) => kind === 'profit-target'),
  ]
  return {
    dailyDrawdownLimit: daily?.kind === 'daily-loss' ? limitText(daily, size, roundsFloorsUp) : null,
    overallLossLimit: maximum?.kind === 'maximum-loss' ? limitText(maximum, size, roundsFloorsUp) : null,
    profitTarget: target?.kind === 'profit-target' ? toDecimal(up(valueOf(target.target, size))) : null,
  }
}

type LimitTerms = Extract<StageTerms['rules'][number], { kind: 'daily-loss' | 'maximum-loss' }>

/** A percentage of what changes has no amount yet. */
function limitText({ limit, touch }: LimitTerms, size: Cents, roundsFloorsUp: boolean): string {
  if ('amount' in limit) return `$${limit.amount}`
  const percent = `${limit.percent}%`
  return limit.of === 'account-size'
    ? `${percent} / $${toDecimal(shownLimit(valueOf(limit, size), roundsFloorsUp ? 'breach' : touch))}`
    : percent
}

/** A version as people read it: "Two-Step 100K, version 1". */
export function programmeText(name: string, version: number): string {
  return `${name}, version ${version}`
}
