import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilePlus, Landmark, Upload } from 'lucide-react'
import { useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import type { ListedBatch } from '#services/payments/batches/batch-api.ts'
import {
  batchFormatLabels,
  batchStateLabels,
  batchStates,
  batchStateTones,
} from '#services/payments/batches/batch-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatAmount } from '@/format/money.ts'
import { Filter } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { AnswersDialog } from './answers-dialog.tsx'
import { batchesQuery, batchPageOf, paidInWords } from './batch-queries.ts'
import { FirmAccountDialog } from './firm-account-dialog.tsx'
import { NewBatchDialog } from './new-batch-dialog.tsx'

const route = getRouteApi('/admin/payouts_/batches/')

const columns: readonly Column<ListedBatch>[] = [
  {
    header: 'Made',
    cell: ({ id, stamps }) => (
      <TextLink to="/admin/payouts/batches/$id" params={{ id }}>
        <DateText at={stamps.made.at} how="exact" />
      </TextLink>
    ),
  },
  { header: 'By', cell: ({ stamps }) => stamps.made.name ?? '' },
  { header: 'Format', cell: ({ format }) => batchFormatLabels[format] },
  { header: 'Payments', align: 'right', cell: ({ count }) => formatCount(count) },
  { header: 'Total', align: 'right', cell: ({ total, currency }) => formatAmount(total, currency) },
  {
    header: 'Paid',
    cell: (batch) => (batch.state === 'released' ? paidInWords(batch) : ''),
  },
  { header: 'State', cell: ({ state }) => <BatchStateBadge state={state} /> },
]

const states = optionsOf(batchStates, batchStateLabels)
const batchId = ({ id }: ListedBatch) => id

/** The batches of payments: what leaves the firm in one file. */
export function BatchesPage() {
  const batches = useQuery(batchesQuery(batchPageOf(route.useSearch())))
  const [mayDecide, mayManage] = [useMay('decide-payouts'), useMay('manage-payments')]
  const [opened, setOpened] = useState<'batch' | 'answers' | 'account'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <PageHeader
        title="Batches"
        action={
          <div className="flex flex-wrap gap-2">
            {mayManage && (
              <Button look="secondary" onClick={() => setOpened('account')}>
                <Landmark size={16} aria-hidden />
                Firm&apos;s Account
              </Button>
            )}
            {mayDecide && (
              <>
                <Button look="secondary" onClick={() => setOpened('answers')}>
                  <Upload size={16} aria-hidden />
                  Upload Answers
                </Button>
                <Button onClick={() => setOpened('batch')}>
                  <FilePlus size={16} aria-hidden />
                  New Batch
                </Button>
              </>
            )}
          </div>
        }
      >
        Approved payouts of one method that leave in one file. <TextLink to="/admin/payouts">
          All payouts
        </TextLink> ·{' '}
        <TextLink to="/admin/payouts/batches/answers">Answers of the bank</TextLink>
      </PageHeader>
      <RoleNotice />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-5">
        <Filter name="status" label="State" options={states} />
      </search>
      <ListTable
        label="Batches"
        columns={columns}
        list={batches}
        rowId={batchId}
        adjustable
        empty={<EmptyState title="No batches">Collect approved payouts in a new one.</EmptyState>}
      />
      {opened === 'batch' && <NewBatchDialog onClose={close} />}
      {opened === 'answers' && <AnswersDialog onClose={close} />}
      {opened === 'account' && <FirmAccountDialog onClose={close} />}
    </>
  )
}

/** The state of a batch. */
export function BatchStateBadge({ state }: Pick<ListedBatch, 'state'>) {
  return <Badge tone={batchStateTones[state]}>{batchStateLabels[state]}</Badge>
}
