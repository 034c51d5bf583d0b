import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { ownHistoryAddress } from '@/addresses.ts'
import { useFirm } from '@/firm.ts'
import { eventNumber } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { euroInWords, formatMoney } from '@/format/money.ts'
import { userQuery } from '@/features/frame/session-queries.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { methodName } from './methods.ts'
import { payoutsQuery } from './payout-queries.ts'

const route = getRouteApi('/_trader/receipt/$id')

/** The receipt of a payment, to print. Typed, because the type of its route follows from it. */
export function ReceiptPage(): ReactNode {
  const { id } = route.useParams()
  const payouts = useQuery(payoutsQuery)
  const { data: user } = useQuery(userQuery)
  const payout = payouts.data?.find((one) => one.id === id)
  const paid = payout?.paymentSteps.findLast(({ state }) => state === 'paid')
  return (
    <>
      <PageHeader title="Receipt">
        <AddressLink look="quiet" href="/payouts" className="print:hidden">
          Back to your payouts
        </AddressLink>
      </PageHeader>
      {payout && paid ? (
        <Receipt payout={payout} paid={paid} name={user?.fullName} />
      ) : payouts.isError && !payouts.data ? (
        <Card>
          <ErrorState title="Failed to load the receipt." onRetry={payouts.refetch} />
        </Card>
      ) : payouts.data ? (
        <Card>
          <EmptyState title="No receipt">A receipt is made when a payout was paid.</EmptyState>
        </Card>
      ) : (
        <Loading label="Loading the receipt" className="flex flex-col gap-4 rounded-lg border border-line bg-card p-5">
          {['w-64', 'w-48', 'w-full'].map((width) => (
            <Skeleton key={width} className={`h-6 ${width}`} />
          ))}
        </Loading>
      )}
    </>
  )
}

interface ReceiptProps {
  readonly payout: ListedPayout
  readonly paid: ListedPayout['paymentSteps'][number]
  readonly name: string | undefined
}

function Receipt({ payout, paid, name }: ReceiptProps) {
  const { id, accountId, amount, traderReceives, firmKeeps, paymentMethod, paymentDetails, payment } = payout
  const { origin } = window.location
  const { name: firm } = useFirm()
  const entry = `${origin}${ownHistoryAddress(paid.stamp.number, accountId)}`
  return (
    <Card title={`Payment of ${formatMoney(traderReceives ?? amount)}`}>
      <DescriptionList
        items={[
          ...(firm ? [{ name: 'Paid by', value: firm }] : []),
          ...(name === undefined ? [] : [{ name: 'Paid to', value: name }]),
          { name: 'Payout', value: formatMoney(amount) },
          ...(firmKeeps === null ? [] : [{ name: 'The firm keeps', value: formatMoney(firmKeeps) }]),
          { name: 'You receive', value: formatMoney(traderReceives ?? amount) },
          ...(payment?.exchanged && payment.reference === paid.reference
            ? [{ name: 'In euro', value: euroInWords(payment.exchanged) }]
            : []),
          { name: 'Payment Method', value: methodName(paymentMethod) },
          { name: 'Destination', value: paymentDetails || 'None given' },
          { name: 'Reference', value: <span className="break-all">{paid.reference}</span> },
          { name: 'Paid on', value: formatDate(paid.stamp.at, 'exact') },
          ...(payment?.state === 'returned' ? [{ name: 'Note', value: 'This payment came back.' }] : []),
          { name: 'Request ID', value: <span className="font-mono text-12 break-all">{id}</span> },
          { name: 'Account', value: <span className="font-mono text-12 break-all">{accountId}</span> },
          {
            name: 'Proof',
            value: (
              <>
                Event {eventNumber(paid.stamp.number)},{' '}
                <a href={entry} className="underline underline-offset-4 break-all">
                  {entry}
                </a>
                . Anybody can check an export of your history at {origin}/verify.
              </>
            ),
          },
        ]}
      />
      <Button className="mt-6" onClick={() => window.print()}>
        Print Receipt
      </Button>
    </Card>
  )
}
