import { useQuery } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { AnswerRow } from '#services/payments/batches/batch-api.ts'
import { answerOutcomeLabels, answerOutcomeTones } from '#services/payments/batches/batch-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatAmount } from '@/format/money.ts'
import { Badge, PayeeCheckBadge, PaymentStateBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { AnswersDialog } from './answers-dialog.tsx'
import { lastAnswersQuery } from './batch-queries.ts'

type Row = AnswerRow & { readonly key: string }

const columns: readonly Column<Row>[] = [
  {
    header: 'Trader',
    inCard: { at: 'start', line: 1 },
    cell: ({ trader, payoutId, reference }) => (
      <>
        {trader !== null && payoutId !== null && (
          <TextLink to="/admin/payouts" search={{ search: payoutId }}>
            {trader}
          </TextLink>
        )}
        <span className="block font-mono text-12 text-muted [overflow-wrap:anywhere]">{reference}</span>
      </>
    ),
  },
  {
    header: 'Amount',
    align: 'right',
    inCard: { at: 'end', line: 1 },
    className: 'whitespace-nowrap',
    cell: ({ amount, currency }) => (amount !== null && currency ? formatAmount(amount, currency) : ''),
  },
  {
    header: 'Payment',
    inCard: { at: 'start', line: 2 },
    cell: ({ payment, payee }) => (
      <span className="inline-flex flex-wrap gap-1">
        {payment && <PaymentStateBadge state={payment} />}
        {payee && <PayeeCheckBadge check={payee} />}
      </span>
    ),
  },
  {
    header: 'Answer',
    inCard: { at: 'end', line: 2 },
    cell: ({ outcome }) => <Badge tone={answerOutcomeTones[outcome]}>{answerOutcomeLabels[outcome]}</Badge>,
  },
  {
    header: 'What the bank says',
    inCard: { at: 'line', line: 3 },
    cell: ({ said, reason, outcome }) => (
      <span className="[overflow-wrap:anywhere]">
        {said}
        {reason !== null && reason !== said && outcome !== 'duplicate' && (
          <span className="block text-13 text-muted">{reason}</span>
        )}
      </span>
    ),
  },
  {
    header: 'What to do next',
    inCard: { at: 'line', line: 4 },
    cell: ({ next }) =>
      next === null ? <span className="text-muted">Nothing to do</span> : <span className="font-medium">{next}</span>,
  },
]

const keyOf = ({ key }: Row) => key

/** What became of the answers in a bank's file: those that need somebody first. */
export function AnswersPage() {
  const { data: read } = useQuery(lastAnswersQuery)
  const mayDecide = useMay('decide-payouts')
  const [isUploading, setIsUploading] = useState(false)
  const [open, all] = useMemo(() => {
    const keyed = (read?.rows ?? []).map((row, place) => ({ ...row, key: `${place} ${row.reference}` }))
    const waiting = keyed.filter(({ next }) => next !== null)
    return [waiting, [...waiting, ...keyed.filter(({ next }) => next === null)]]
  }, [read])
  return (
    <>
      <PageHeader
        title="What Became of the Answers"
        action={
          mayDecide && (
            <Button onClick={() => setIsUploading(true)}>
              <Upload size={16} aria-hidden />
              Upload Answers
            </Button>
          )
        }
      >
        {read ? `${read.name}: ${inWords(open.length, all.length)} ` : 'The answers of a bank to payments. '}
        <TextLink to="/admin/payouts/batches">All batches</TextLink>
      </PageHeader>
      <RoleNotice />
      <DataTable
        label="Answers"
        columns={columns}
        rows={all}
        rowId={keyOf}
        empty={
          read ? (
            <EmptyState title="No answers">The file names no payment of yours.</EmptyState>
          ) : (
            <EmptyState title="No file was read in this tab">
              Upload the file of your bank. One that was read before changes nothing, and shows again what needs
              somebody.
            </EmptyState>
          )
        }
      />
      {isUploading && <AnswersDialog onClose={() => setIsUploading(false)} />}
    </>
  )
}

function inWords(open: number, all: number): string {
  if (all === 0) return 'nothing in it names a payment of yours.'
  if (open === 0) return 'nothing is left to do.'
  return `${formatCount(open)} of ${formatCount(all)} ${open === 1 ? 'needs' : 'need'} somebody.`
}
