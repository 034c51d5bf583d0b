import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { createContext, use, useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import type { Finding } from '#services/trading/findings/finding-api.ts'
import {
  findingKindLabels,
  findingKinds,
  findingStateLabels,
  findingStates,
  findingStateTones,
} from '#services/trading/stream/finding-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { UserLink } from '@/features/frame/user-link.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { lazyPart } from '@/lazy-page.ts'
import { Filter } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Key, RowKeys, usePageKeys } from '@/lists/use-page-keys.tsx'
import { Badge } from '@/ui/badge.tsx'
import { SelectionBar } from '@/lists/selection-bar.tsx'
import { Button } from '@/ui/button.tsx'
import { actionsColumn, type Column, findRow } from '@/ui/data-table.tsx'
import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { CopyableId, DateText } from '@/ui/text.tsx'
import { findingPageOf, findingsQuery, type FindingVerdict, waits } from './finding-queries.ts'
import { findingText, ruleName } from './finding-words.ts'

const FindingDialog = lazyPart(() => import('./finding-dialog.tsx').then(({ FindingDialog }) => FindingDialog))
const route = getRouteApi('/admin/findings')

const states = [...optionsOf(findingStates, findingStateLabels), { value: 'all', label: 'All' }]
const kinds = optionsOf(findingKinds, findingKindLabels)

interface Rows {
  readonly chosen: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly open: (finding: Finding) => void
}

/** A context, so that columns can be constants. */
const RowsContext = createContext<Rows>({ chosen: new Set(), toggle: () => {}, open: () => {} })

const dataColumns: readonly Column<Finding>[] = [
  {
    header: 'Finding',
    cell: ({ kind, state, firstConfirmation }) => (
      <span className="inline-flex flex-wrap items-center gap-1">
        {findingKindLabels[kind]}
        <Badge tone={kind === 'pass' && state === 'confirmed' ? 'good' : findingStateTones[state]}>
          {findingStateLabels[state]}
        </Badge>
        {firstConfirmation && <Badge tone="waiting">1 of 2</Badge>}
      </span>
    ),
  },
  {
    header: 'Trader',
    cell: ({ userId, userName, account }) => (
      <span className="flex flex-col gap-0.5 max-md:items-end">
        <UserLink id={userId}>{userName}</UserLink>
        <CopyableId id={account} of="the account" />
      </span>
    ),
  },
  {
    header: 'Rule',
    cell: (finding) => <span title={finding.rule.text ?? undefined}>{ruleName(finding)}</span>,
  },
  { header: 'Measured', align: 'right', cell: ({ measured }) => (measured === null ? '' : formatMoney(measured)) },
  { header: 'Floor or Target', align: 'right', cell: ({ floor }) => (floor === null ? '' : formatMoney(floor)) },
  {
    header: 'When',
    // The list has what was found last first, also of what happened long ago.
    cell: ({ at, raised }) => (
      <span className="flex flex-col gap-0.5 max-md:items-end">
        <DateText at={at} how="exact" />
        <span className="text-12 text-muted">
          found <DateText at={raised.at} how="stamp" />
        </span>
      </span>
    ),
  },
  { ...actionsColumn, cell: (finding) => <OpenButton finding={finding} /> },
]

const columns: readonly Column<Finding>[] = [
  { header: 'Select', headerHidden: true, cell: (finding) => <SelectBox finding={finding} /> },
  ...dataColumns,
]

const findingId = ({ id }: Finding) => id

interface Opened {
  readonly findings: readonly Finding[]
  readonly verdict: FindingVerdict | undefined
}

/** Lists the findings of the rules, for staff to confirm or dismiss. */
export function FindingsPage() {
  const address = route.useSearch()
  const list = useQuery(findingsQuery(findingPageOf(address)))
  const mayDecide = useMay('decide-findings')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<Opened>()
  const rows = list.data?.items ?? []
  const waiting = rows.filter(waits)
  const chosen = waiting.filter(({ id }) => marked.has(id))
  const isAll = waiting.length > 0 && chosen.length === waiting.length
  const toggle = (id: string) =>
    setMarked((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]))
  const toggleAll = () => setMarked(new Set(isAll ? [] : waiting.map(({ id }) => id)))
  const decide = (findings: readonly Finding[], verdict: FindingVerdict) =>
    findings.some(waits) && setOpened({ findings, verdict })
  const open = (finding: Finding) => setOpened({ findings: [finding], verdict: undefined })
  usePageKeys(rows, {
    withRow: mayDecide
      ? {
          c: (finding) => decide([finding], 'confirm'),
          d: (finding) => decide([finding], 'dismiss'),
          x: (finding) => waits(finding) && toggle(finding.id),
        }
      : {},
    withPage: mayDecide ? { x: toggleAll, c: () => decide(chosen, 'confirm'), d: () => decide(chosen, 'dismiss') } : {},
    waits,
  })
  const first = opened?.findings[0]
  return (
    <RowsContext value={{ chosen: marked, toggle, open }}>
      <PageHeader
        title="Findings"
        action={
          <ButtonLink look="secondary" to="/admin/imports">
            Imports
          </ButtonLink>
        }
      >
        What the rules of programmes find in what was observed: breaches, and stages that are passed.
      </PageHeader>
      <RoleNotice />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4">
        <Filter name="status" label="State" none="Waiting" options={states} />
        <Filter name="kind" label="Kind" options={kinds} />
      </search>
      {mayDecide ? (
        <RowKeys opens="a finding">
          , <Key>C</Key> confirms, <Key>D</Key> dismisses, <Key>X</Key> selects. With <Key>Shift</Key>, X selects the
          page, and C and D decide what is selected
        </RowKeys>
      ) : (
        <RowKeys opens="a finding" />
      )}
      {mayDecide && waiting.length > 0 && (
        <SelectionBar
          selectable={waiting.length}
          what="waiting"
          all={isAll}
          onToggleAll={toggleAll}
          chosen={chosen.length > 0 ? `${formatCount(chosen.length)} selected` : undefined}
        >
          <Button look="secondary" onClick={() => decide(chosen, 'confirm')}>
            Confirm selected
          </Button>
          <Button look="secondary" onClick={() => decide(chosen, 'dismiss')}>
            Dismiss selected
          </Button>
        </SelectionBar>
      )}
      <ListTable
        label="Findings"
        columns={mayDecide ? columns : dataColumns}
        rowId={findingId}
        list={list}
        empty={<EmptyState title="No findings">Nothing waits for a decision here.</EmptyState>}
        onOpen={open}
        shortcuts={mayDecide ? 'c d x' : undefined}
      />
      {opened && (
        <FindingDialog {...opened} onClose={() => setOpened(undefined)} returnTo={() => findRow(first?.id ?? '')} />
      )}
    </RowsContext>
  )
}

function SelectBox({ finding }: { readonly finding: Finding }) {
  const { chosen, toggle } = use(RowsContext)
  if (!waits(finding)) return null
  return (
    <label className="flex items-center justify-end gap-2 text-13">
      <span aria-hidden className="md:hidden">
        Select
      </span>
      <input
        type="checkbox"
        aria-label={`Select ${finding.userName}, ${findingText(finding)}`}
        className="size-4 accent-accent"
        checked={chosen.has(finding.id)}
        onChange={() => toggle(finding.id)}
      />
    </label>
  )
}

function OpenButton({ finding }: { readonly finding: Finding }) {
  const { open } = use(RowsContext)
  const mayDecide = useMay('decide-findings')
  return (
    <Button look="secondary" onClick={() => open(finding)}>
      {mayDecide && waits(finding) ? 'Decide' : 'Show'}
      <span className="sr-only">: {finding.userName}</span>
    </Button>
  )
}
