import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { BatchDetails } from '#services/payments/batches/batch-api.ts'
import { type BatchCurrency, batchFormatLabels } from '#services/payments/batches/batch-vocabulary.ts'
import { paymentStates, payoutMethodLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { euroQuote } from '#services/rules/exchange-rate.ts'
import { RoleNotice, useMay, useMember } from '@/features/frame/access.tsx'
import { formatAmount, formatMoney } from '@/format/money.ts'
import { PayeeCheckBadge, PaymentStateBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { DownloadLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import {
  batchInWords,
  batchQuery,
  cancelBatch,
  fileOfBatch,
  paidInWords,
  previewQuery,
  releaseBatch,
} from './batch-queries.ts'
import { BatchStateBadge } from './batches-page.tsx'
import { ChangeDialog } from '@/form/form-dialog.tsx'

const route = getRouteApi('/admin/payouts_/batches/$id')

type Item = BatchDetails['items'][number]
type Removed = BatchDetails['removed'][number]

const columnsIn = (currency: BatchCurrency): readonly Column<Item>[] => [
  { header: 'Reference', cell: ({ reference }) => <span className="[overflow-wrap:anywhere]">{reference}</span> },
  { header: 'Trader', cell: ({ fullName }) => fullName },
  {
    header: 'Destination',
    cell: ({ destination }) => <span className="[overflow-wrap:anywhere]">{destination ?? 'Erased'}</span>,
  },
  { header: 'Amount', align: 'right', cell: ({ amount }) => formatAmount(amount, currency) },
  {
    header: 'In Dollars',
    align: 'right',
    cell: ({ traderReceives }) => (traderReceives === null ? '' : formatMoney(traderReceives)),
  },
  {
    header: 'Payment',
    cell: ({ payment, payee }) => (
      <span className="inline-flex flex-wrap items-center gap-1">
        {payment ? <PaymentStateBadge state={payment} /> : 'In another batch'}
        {payee && <PayeeCheckBadge check={payee} />}
      </span>
    ),
  },
  { header: 'Note', cell: ({ reason, notice }) => reason ?? notice ?? '' },
]

const removedColumnsIn = (currency: BatchCurrency): readonly Column<Removed>[] => [
  { header: 'Reference', cell: ({ reference }) => <span className="[overflow-wrap:anywhere]">{reference}</span> },
  { header: 'Amount', align: 'right', cell: ({ amount }) => formatAmount(amount, currency) },
  { header: 'Why', cell: ({ reason }) => reason },
]

const columns = { USD: columnsIn('USD'), EUR: columnsIn('EUR') }
const removedColumns = { USD: removedColumnsIn('USD'), EUR: removedColumnsIn('EUR') }

const referenceOf = ({ reference }: { readonly reference: string }) => reference

/** A batch: its payments, its release, its file. */
export function BatchPage(): ReactNode {
  const { id } = route.useParams()
  const batch = useQuery(batchQuery(id))
  if (batch.data) return <Batch batch={batch.data} />
  return (
    <>
      <PageHeader title="Batch" />
      {batch.isError ? (
        <ErrorState title="The batch could not be loaded" error={batch.error} onRetry={batch.refetch} />
      ) : (
        <LoadingLines lines={8} label="Loading the batch" />
      )}
    </>
  )
}

function Batch({ batch }: { readonly batch: BatchDetails }) {
  const { format, method, currency, rate, rateSource, stamps, file, items, removed } = batch
  const mayDecide = useMay('decide-payouts')
  return (
    <>
      <PageHeader title="Batch" action={<Actions batch={batch} />}>
        {batchInWords(batch)}. {progressInWords(batch)}{' '}
        <TextLink to="/admin/payouts" search={{ batch: batch.id }}>
          Its payouts
        </TextLink>{' '}
        · <TextLink to="/admin/payouts/batches">All batches</TextLink>
      </PageHeader>
      <RoleNotice />
      <Card title="Record" action={<BatchStateBadge state={batch.state} />} className="mb-6">
        <DescriptionList
          items={[
            { name: 'Format', value: batchFormatLabels[format] },
            ...(method ? [{ name: payoutMethodLabels[method], value: batchInWords(batch) }] : []),
            ...(rate ? [{ name: 'Rate', value: rateInWords(rate, rateSource) }] : []),
            { name: 'Made', value: <Stamped stamp={stamps.made} /> },
            ...(stamps.released ? [{ name: 'Released', value: <Stamped stamp={stamps.released} /> }] : []),
            ...(file
              ? [
                  { name: 'SHA-256 of the file', value: <Hash hash={file.sha256} /> },
                  ...(file.sha256ForPeople
                    ? [{ name: 'SHA-256 of the spreadsheet', value: <Hash hash={file.sha256ForPeople} /> }]
                    : []),
                ]
              : []),
          ]}
        />
      </Card>
      <DataTable
        label="Payments"
        columns={columns[currency]}
        rows={[...items.filter(needsSomebody), ...items.filter((item) => !needsSomebody(item))]}
        rowId={referenceOf}
        error={false}
        empty={<EmptyState title="No payments">All payments have left this batch.</EmptyState>}
      />
      {batch.state === 'open' && mayDecide && items.length > 0 && <Preview batch={batch} />}
      {removed.length > 0 && (
        <Card title="Taken out" className="mt-6">
          <DataTable
            label="Payments that left the batch"
            columns={removedColumns[currency]}
            rows={removed}
            rowId={referenceOf}
            error={false}
            empty={null}
          />
        </Card>
      )}
    </>
  )
}

function Hash({ hash }: { readonly hash: string }) {
  return <code className="font-mono text-12 break-all">{hash}</code>
}

/** It failed or came back: it may go into another batch. */
function needsSomebody({ payment }: Item): boolean {
  return payment === 'failed' || payment === 'returned'
}

/** 'Settled: all 8 are paid.', '6 of 8 paid, 1 failed, 1 sent.'; nothing before the release. */
function progressInWords({ state, settled, items }: BatchDetails): string {
  if (state !== 'released') return ''
  const counts = paymentStates.map((of) => ({ state: of, count: items.filter(({ payment }) => payment === of).length }))
  return `${paidInWords({ settled, count: items.length, payments: counts })}.`
}

/** '1 EUR = 1.0870 USD, 1 USD = 0.92 EUR (ECB)' */
function rateInWords(rate: string, source: string | null): string {
  const both = `${euroQuote(rate)}, 1 USD = ${rate} EUR`
  return source ? `${both} (${source})` : both
}

/** The file that a release makes, for who may release. */
function Preview({ batch }: { readonly batch: BatchDetails }) {
  const { data, error, refetch } = useQuery(previewQuery(batch))
  return (
    <Card title="The file before its release" className="mt-6">
      {data ? (
        <>
          <p className="mb-3 text-13 text-muted">
            A release on this day (UTC) makes exactly this file. SHA-256 <Hash hash={data.sha256} />
          </p>
          <pre
            // A scrolling region needs the keyboard.
            tabIndex={0}
            role="region"
            aria-label="Content of the file"
            className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-12"
          >
            {data.text}
          </pre>
        </>
      ) : error ? (
        <ErrorState title="The file could not be shown" error={error} onRetry={refetch} />
      ) : (
        <LoadingLines lines={6} label="Loading the file" />
      )}
    </Card>
  )
}

function Stamped({ stamp: { at, name } }: { readonly stamp: BatchDetails['stamps']['made'] }) {
  return (
    <>
      <DateText at={at} how="exact" />
      {name !== null && `, ${name}`}
    </>
  )
}

/** Programs take the one as it is; a spreadsheet would change its account numbers and dates. */
function Files({ id }: { readonly id: string }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-2">
      <div>
        <DownloadLink href={fileOfBatch(id, 'programs')}>Download File</DownloadLink>
        <p className="mt-1 text-12 text-muted">For the program of your bank or provider</p>
      </div>
      <div>
        <DownloadLink href={fileOfBatch(id, 'people')}>Download Spreadsheet</DownloadLink>
        <p className="mt-1 text-12 text-muted">For people: XLSX, every character as it is</p>
      </div>
    </div>
  )
}

function Actions({ batch }: { readonly batch: BatchDetails }) {
  const { id, state, needsAnother, maker } = batch
  const member = useMember()
  const isOwn = needsAnother && member?.id === maker
  const [mayDecide, mayExport] = [useMay('decide-payouts'), useMay('export')]
  const [opened, setOpened] = useState<'release' | 'cancel'>()
  const close = () => setOpened(undefined)
  if (state === 'released') return mayExport && <Files id={id} />
  if (state !== 'open' || !mayDecide) return null
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="secondary" onClick={() => setOpened('cancel')}>
        Cancel Batch
      </Button>
      {isOwn ? (
        <p className="self-center text-13 text-muted">You made this batch: another member of staff releases it.</p>
      ) : (
        <Button onClick={() => setOpened('release')}>Release</Button>
      )}
      {opened === 'release' && (
        <ChangeDialog
          change={releaseBatch}
          input={id}
          label="Release"
          look="primary"
          onClose={close}
          title="Release this batch"
          description={`${batchInWords(batch)}: they count as sent, and their traders are told. You download the file next: its content is on this page. Their payouts can't be rejected any more.`}
        />
      )}
      {opened === 'cancel' && (
        <ChangeDialog
          change={cancelBatch}
          input={id}
          label="Cancel Batch"
          onClose={close}
          title="Cancel this batch"
          description="Its payments are to be paid again, and may go into another batch."
        />
      )}
    </div>
  )
}
