import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { type AccountId, type FindingId, observationIdOf, ownerOf } from '#services/framework/ids.ts'
import { isoTime } from '#services/framework/event-description.ts'
import type { ReportForgedRow } from '#services/process/forged-rows.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { Observation } from '#services/rules/observation.ts'
import { assertSaid, nameSaid, type Said } from '#services/trading/accounts/server/seen-in-log.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import type { Finding } from '#services/trading/stream/finding.ts'
import { type FindingEvent, findingEvents, type FindingHit, hitIn } from '#services/trading/stream/finding-events.ts'
import type { Hit } from '#services/trading/stream/stage.ts'
import { isOneOf } from '#services/event-sourcing/event-definitions.ts'
import type { KnownObservation } from '#services/trading/stream/known-observations.ts'
import { observationInWords } from '#services/trading/stream/observation-descriptions.ts'
import type { SeenFinding } from '../finding-api.ts'

/** An observation as a finding shows it. @param observed Null once a correction took it away. */
export function evidenceResponse(observed: Observation | null | undefined) {
  if (!observed) return { what: 'Taken away by a correction', at: null, figures: null }
  const at = observed.kind === 'day' ? observed.date : isoTime(observed.at.ms)
  return { ...observationInWords(observed), at }
}

/**
 * Refuses a verdict on a finding that the page showed otherwise than the log has it. An unknown finding is left to the
 * decision.
 *
 * @throws {Refused} conflict
 */
export async function assertSeenFinding(
  repositories: Repositories,
  account: AccountId,
  id: FindingId,
  seen: SeenFinding,
  report: ReportForgedRow,
): Promise<void> {
  const accounts = repositories.of(accountStreams)
  const { findings, stage } = (await accounts.load(account)).state
  const finding = findings.list.find((each) => each.id === id)
  if (!finding) return
  const said: Said[] = [await nameSaid(repositories, ownerOf(account), seen.name)]
  if (seen.kind !== finding.kind) said.push('never')
  else if (!hasFigures(finding, seen)) {
    let [figures, hit]: [Said, Hit] = ['never', finding.hit]
    for await (const event of accounts.readEvents(account)) {
      const found = isOneOf(findingEvents, event) ? figuresIn(event, id) : null
      // A finding stays where it was, unless a correction moved it.
      hit = found?.hit ? hitIn(found.hit) : hit
      if (found && hasFigures({ ...found, hit }, seen)) figures = 'before'
    }
    said.push(figures)
  }
  const proves = new Map<string, number>(finding.evidence.map((number) => [observationIdOf(account, number), number]))
  for (const shown of seen.evidence ?? []) {
    const number = proves.get(shown.observation)
    said.push(number === undefined ? 'never' : observationSaid(stage?.known.list.get(number - 1), shown))
  }
  assertSaid(said, `findings ${id}`, report)
}

type Figures = Pick<Finding, 'rule' | 'floor' | 'measured'>

function hasFigures({ rule, floor, measured, hit }: Figures & Pick<Finding, 'hit'>, seen: SeenFinding): boolean {
  const inText = (amount: Figures['floor']) => (amount === null ? null : toDecimal(amount))
  const isThere = seen.rule === rule.kind && seen.at === isoTime(hit.at)
  return isThere && seen.floor === inText(floor) && seen.measured === inText(measured)
}

/** The figures that an event gave a finding, and where it says so its place; null for any other event. */
function figuresIn(
  { type, data }: FindingEvent,
  id: FindingId,
): (Figures & { readonly hit?: FindingHit | undefined }) | null {
  if (type === 'RuleFindingRaised' && data.finding === id) return data
  return type === 'FindingReopened' && data.finding === id ? data.found : null
}

type Shown = NonNullable<SeenFinding['evidence']>[number]

function observationSaid(known: KnownObservation | undefined, shown: Shown): Said {
  const isShown = (observed: Observation | null | undefined) => {
    const { what, at, figures } = evidenceResponse(observed)
    return what === shown.what && at === shown.at && figures === shown.figures
  }
  if (isShown(known?.now)) return 'now'
  return known?.before.some(isShown) || (known && known.before.length > 0 && isShown(null)) ? 'before' : 'never'
}
