import { useQuery } from '@tanstack/react-query'
import type { AccountPayoutTerms } from '#services/trading/accounts/account-api.ts'
import { auditAddress } from '@/addresses.ts'
import { firstDayInWords } from './payout-words.ts'
import { PayoutNeeds } from './still-missing.tsx'
import { eventNumber } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { Stamped } from '@/ui/text.tsx'
import { payoutTermsOfAccount } from './staff-account-queries.ts'

interface PayoutTermsProps {
  readonly userId: string
  readonly account: string
  /** Its terms are those of a programme. */
  readonly ofProgramme: boolean
}

/** The payout terms of an account, and what they allow now, each with the event behind it; for staff. */
export function PayoutTerms({ userId, account, ofProgramme }: PayoutTermsProps) {
  const { data, isError, refetch } = useQuery(payoutTermsOfAccount(account))
  if (data) return <PayoutTermsView userId={userId} found={data} ofProgramme={ofProgramme} />
  if (isError) return <FailedFigures onRetry={refetch}>The payout terms could not be loaded.</FailedFigures>
  return <LoadingLines label="Loading the payout terms" lines={3} />
}

export function PayoutTermsView({
  userId,
  found,
  ofProgramme,
}: Omit<PayoutTermsProps, 'account'> & { readonly found: AccountPayoutTerms }) {
  const { set, words, payout } = found
  if (!payout)
    return (
      <p className="text-muted">
        {ofProgramme
          ? 'None in this stage: payouts begin with the funded stage of the programme.'
          : 'None: staff decide any amount.'}
      </p>
    )
  const { available, traderReceives, split, profit, waiting, needs, events } = payout
  const eventLink = (number: number) => (
    <AddressLink look="accent" href={auditAddress(number, userId)}>
      {eventNumber(number)}
    </AddressLink>
  )
  return (
    <div className="grid items-start gap-x-8 gap-y-4 sm:grid-cols-2">
      <DescriptionList
        items={[
          {
            name: 'Terms',
            value: (
              <Stamped of={userId} stamp={set} full>
                {payout.terms.name}
              </Stamped>
            ),
          },
          ...words.map(({ title, text }) => ({ name: title, value: text })),
        ]}
      />
      <DescriptionList
        items={[
          { name: 'Available now', value: formatMoney(available) },
          { name: 'For the trader', value: `${formatMoney(traderReceives)} (${split}%)` },
          {
            name: 'Profit',
            value: (
              <>
                {formatMoney(profit)}, by the balance of {eventLink(events.balance)}
              </>
            ),
          },
          { name: 'Open requests', value: formatMoney(waiting) },
          { name: 'Last payout', value: events.payout === null ? 'None' : eventLink(events.payout) },
          { name: 'Next possible day', value: firstDayInWords(payout) },
          ...(needs.length > 0 ? [{ name: 'Still missing', value: <PayoutNeeds needs={needs} /> }] : []),
        ]}
      />
    </div>
  )
}
