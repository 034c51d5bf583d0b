import { useQuery } from '@tanstack/react-query'
import type {
  ProgrammeVersionAnswer,
  WhatIf,
  WhatIfCounts,
  WhatIfDifference,
  WhatIfOutcome,
} from '#services/programmes/programmes/programme-api.ts'
import { AccountLink } from '@/features/frame/user-link.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney } from '@/format/money.ts'
import { Badge } from '@/ui/badge.tsx'
import { Card } from '@/ui/card.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { Meter } from '@/ui/meter.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { whatIfQuery } from './programme-queries.ts'

/** How the accounts of the programme would stand under the terms of a draft. */
export function WhatIfCard({
  version,
  title = 'What-if over the real history',
}: {
  readonly version: ProgrammeVersionAnswer
  readonly title?: string
}) {
  const { hash, whatIf, isTrying } = version
  return (
    <Card title={title}>
      {isTrying || whatIf?.hash === hash ? (
        <ComputedWhatIf version={version} />
      ) : (
        <p className="text-13 text-muted">
          Not computed for these terms yet. Publish begins with it, where traders are enrolled.
        </p>
      )}
    </Card>
  )
}

function ComputedWhatIf({ version: { id, version, whatIf } }: { readonly version: ProgrammeVersionAnswer }) {
  const found = useQuery(whatIfQuery(id, version))
  if (!found.data)
    return found.isError ? (
      <ErrorState title="The what-if could not be loaded" error={found.error} onRetry={found.refetch} />
    ) : (
      <LoadingLines lines={3} label="Loading the what-if" />
    )
  if (found.data.state === 'running') return <Progress whatIf={found.data} />
  return <Result whatIf={found.data} total={whatIf?.differences ?? found.data.differences.length} />
}

function Progress({ whatIf: { accounts, compared } }: { readonly whatIf: WhatIf }) {
  const text =
    accounts === 0
      ? 'Looking for the accounts of this programme.'
      : `${formatCount(compared)} of ${formatCount(accounts)} accounts compared. You can leave this page.`
  return (
    <Meter
      role="progressbar"
      label="Progress of the what-if"
      percent={accounts === 0 ? 0 : (compared / accounts) * 100}
      text={text}
    />
  )
}

const countWords: readonly (readonly [keyof WhatIfCounts, string])[] = [
  ['breached', 'would be breached'],
  ['notBreached', 'would not be breached any more'],
  ['passed', 'would be passed'],
  ['notPassed', 'would not be passed any more'],
  ['payouts', 'would have another payout'],
]

function Result({
  whatIf: { accounts, counts, differences },
  total,
}: {
  readonly whatIf: WhatIf
  readonly total: number
}) {
  if (accounts === 0) return <p className="text-13">No account lives under this programme: nothing would change.</p>
  return (
    <>
      <p className="text-13">
        {formatCount(total)} of {formatCount(accounts)} accounts would stand differently.
      </p>
      <ul className="mt-2 mb-4 flex flex-wrap gap-x-6 gap-y-1 text-13">
        {countWords.map(([name, words]) => (
          <li key={name}>
            <strong>{formatCount(counts[name])}</strong> {words}
          </li>
        ))}
      </ul>
      {differences.length > 0 && (
        <DataTable
          label="Accounts that would stand differently"
          columns={columns}
          rows={differences}
          rowId={accountOf}
          empty={<EmptyState title="No differences">No account would stand differently.</EmptyState>}
        />
      )}
      {total > differences.length && (
        <p className="mt-3 text-13 text-muted">
          The first {formatCount(differences.length)} of {formatCount(total)} accounts.
        </p>
      )}
    </>
  )
}

const accountOf = ({ account }: WhatIfDifference) => account

const columns: readonly Column<WhatIfDifference>[] = [
  { header: 'Account', cell: ({ account }) => <AccountLink id={account} /> },
  { header: 'By its own terms', cell: ({ from }) => <Outcome outcome={from} /> },
  { header: 'By this draft', cell: ({ to }) => <Outcome outcome={to} /> },
  { header: 'Payout now', align: 'right', cell: ({ from }) => payoutText(from) },
  { header: 'Payout by this draft', align: 'right', cell: ({ to }) => payoutText(to) },
]

const labels: Readonly<Record<WhatIfOutcome['status'], string>> = {
  'in-progress': 'In progress',
  paused: 'Paused',
  passed: 'Passed',
  breached: 'Breached',
  'no-stage': 'No such stage',
}
const tones = {
  'in-progress': 'plain',
  paused: 'waiting',
  passed: 'good',
  breached: 'bad',
  'no-stage': 'review',
} as const

function Outcome({ outcome: { status, at, cause } }: { readonly outcome: WhatIfOutcome }) {
  return (
    <span className="flex flex-col items-start gap-0.5 max-md:items-end">
      <Badge tone={tones[status]}>{labels[status]}</Badge>
      {at !== null && <span className="text-12 text-muted">{formatDate(at, 'exact')}</span>}
      {cause && <span className="text-12 text-muted">{causeText(cause)}</span>}
    </span>
  )
}

function causeText({ rule, floor, measured, trade }: NonNullable<WhatIfOutcome['cause']>): string {
  if (trade !== undefined) return `${rule}: trade ${trade}`
  return floor === null || measured === null ? rule : `${rule}: ${formatMoney(measured)} at ${formatMoney(floor)}`
}

function payoutText({ payout }: WhatIfOutcome): string {
  if (!payout) return ''
  return payout.from === null
    ? formatMoney(payout.available)
    : `${formatMoney(payout.available)}, from ${formatDate(payout.from, 'day')}`
}
