import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { type Stage, stageAt } from '#services/trading/stream/stage.ts'
import type { SeenRow } from '#services/trading/stream/stage-timeline.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { Line, State } from '#services/rules/engine.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import type { WhatIfOutcome } from '#services/programmes/programmes/programme-api.ts'

/** The outcomes of accounts by the terms that they are under, and by those of a draft. */

/** @param now Ms since 1970. */
export function outcomeOfStage(stage: Stage, now: number): WhatIfOutcome {
  const { state, line } = stageAt(stage, now)
  return outcomeOf(state, line, (index) => stage.timeline.rows.get(index))
}

/** @param rowAt The rows that were evaluated, by their index. */
export function outcomeOf(
  { ended }: Pick<State, 'ended'>,
  { status, at, payout }: Line,
  rowAt: (index: number) => SeenRow | undefined,
): WhatIfOutcome {
  const endedAt = ended && (ended.cause?.at ?? rowAt(ended.observation)?.observation.at.text ?? at)
  const cause = ended?.cause
  return {
    status,
    at: endedAt === null ? null : new Date(endedAt).toISOString(),
    cause: cause
      ? {
          rule: ruleKindLabels[cause.kind] ?? cause.kind,
          floor: decimal(cause.floor),
          measured: decimal(cause.measured),
          ...(cause.trade !== null && { trade: cause.trade }),
        }
      : null,
    payout: payout && {
      available: toDecimal(payout.available),
      from: payout.from === null ? null : dateOf(payout.from),
    },
  }
}

function decimal(value: number | null): string | null {
  return value === null ? null : toDecimal(value)
}

/** The outcome of an account where a draft has no such stage. */
export const noStage: WhatIfOutcome = { status: 'no-stage', at: null, cause: null, payout: null }

export function isSameOutcome(one: WhatIfOutcome, other: WhatIfOutcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
