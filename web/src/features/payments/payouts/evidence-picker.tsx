import { useQuery } from '@tanstack/react-query'
import { observation } from '#services/rules/observation.ts'
import { findingKindLabels, findingStateLabels } from '#services/trading/stream/finding-vocabulary.ts'
import { observationText } from '#services/trading/stream/observation-descriptions.ts'
import { findingPageOf, findingsQuery } from '@/features/trading/findings/finding-queries.ts'
import { findingText } from '@/features/trading/findings/finding-words.ts'
import { observationsQuery } from '@/features/trading/observations/observation-queries.ts'
import { Checkbox } from '@/ui/field.tsx'
import { LoadingLines } from '@/ui/states.tsx'
import type { NamedEvidence } from './rejection-reasons.ts'

interface EvidencePickerProps {
  readonly account: string
  readonly chosen: readonly NamedEvidence[]
  readonly onChange: (chosen: readonly NamedEvidence[]) => void
}

/** Chooses what shows the reason of a rejection: findings of the account, and what was observed of it last. */
export function EvidencePicker({ account, chosen, onChange }: EvidencePickerProps) {
  const findings = useQuery(findingsQuery({ ...findingPageOf({ status: 'all' }), account }))
  const observations = useQuery(observationsQuery(account, newest))
  if (findings.isPending || observations.isPending) return <LoadingLines label="Loading what can be named" lines={2} />
  const items = [
    ...(findings.data?.items ?? []).map((finding) => ({
      named: { finding: finding.id },
      label: `${findingKindLabels[finding.kind]}: ${findingText(finding)} (${findingStateLabels[finding.state].toLowerCase()})`,
    })),
    ...(observations.data?.items ?? []).map(({ id, observation: written }) => ({
      named: { observation: id },
      label: lineOf(written),
    })),
  ]
  if (items.length === 0)
    return <p className="text-13 text-muted">Nothing was found or observed of this account that could be named.</p>
  const isChosen = (named: NamedEvidence) => chosen.some((each) => idOf(each) === idOf(named))
  return (
    <fieldset className="max-h-44 overflow-y-auto rounded-md border border-line px-3 py-2">
      <legend className="px-1 text-13 font-medium">What shows it</legend>
      {items.map(({ named, label }) => (
        <Checkbox
          key={idOf(named)}
          label={<span className="text-13 break-words">{label}</span>}
          checked={isChosen(named)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, named] : chosen.filter((each) => idOf(each) !== idOf(named)))
          }
        />
      ))}
    </fieldset>
  )
}

const newest = { kind: undefined, since: undefined, until: undefined, cursor: undefined }

function idOf({ finding, observation: observed }: NamedEvidence): string {
  return finding ?? observed ?? ''
}

/** An observation in a line; what a newer version recorded, as it is written. */
function lineOf(written: { readonly kind: string; readonly at: string }): string {
  const { data } = observation.safeParse(written)
  return data ? observationText(data) : `${written.kind} ${written.at}`
}
