import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Offer } from '#services/programmes/programmes/offer-api.ts'
import { formatMoney } from '@/format/money.ts'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { offersQuery } from './offer-queries.ts'

const OfferTermsDialog = lazyPart(() =>
  import('./offer-terms-dialog.tsx').then(({ OfferTermsDialog }) => OfferTermsDialog),
)
const route = getRouteApi('/_trader/account-sizes')

type Phase = '1' | '2' | 'other'

/** A card of an offer: its size, what it is, and where it is bought. */
interface OfferCard extends Pick<Offer, 'label'> {
  readonly sold: NonNullable<Offer['oneStep'] | Offer['other']>
}

const phases: readonly {
  readonly value: Phase
  readonly label: string
  readonly about: string
  readonly soldIn: (offer: Offer) => OfferCard['sold'] | null
}[] = [
  { value: '1', label: 'Phase 1 (One-Step Challenge)', about: 'One phase.', soldIn: ({ oneStep }) => oneStep },
  {
    value: '2',
    label: 'Phase 2 (Two-Step Challenge)',
    about: 'Another challenge, not the next step of the first: two phases, one after the other.',
    soldIn: ({ twoStep }) => twoStep,
  },
  { value: 'other', label: 'Other Programmes', about: 'Each with its own terms.', soldIn: ({ other }) => other },
]

/**
 * Six sizes in two challenges, bought at the firm's checkout (specification §2, §9). Once the firm has set its offers,
 * those, with its other programmes beside them.
 */
export function OffersPage() {
  return (
    <>
      <PageHeader title="Buy an Account">
        Choose a challenge and a size. The checkout opens in a new tab and names the price.
      </PageHeader>
      <OfferTabs />
    </>
  )
}

function OfferTabs() {
  const { phase: wanted = '1' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data } = useQuery(offersQuery)
  const cardsOf = ({ soldIn }: (typeof phases)[number]) =>
    data?.flatMap((offer): OfferCard[] => {
      const sold = soldIn(offer)
      return sold ? [{ label: offer.label, sold }] : []
    })
  const shown = phases.filter((phase) => (data ? cardsOf(phase)?.length : phase.value !== 'other'))
  const chosen = shown.find(({ value }) => value === wanted) ?? shown[0]
  if (!chosen) return <EmptyState title="Nothing is for sale now">Please look again later.</EmptyState>
  return (
    <Tabs
      label="Challenge"
      value={chosen.value}
      onChange={(value) => void navigate({ search: { phase: value === '1' ? undefined : value }, resetScroll: false })}
      tabs={shown.map((phase) => ({
        value: phase.value,
        label: phase.label,
        content: <Offers cards={cardsOf(phase)}>{phase.about}</Offers>,
      }))}
    />
  )
}

const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3'

interface OffersProps {
  /** Undefined until they are loaded. */
  readonly cards: readonly OfferCard[] | undefined
  /** A line about the challenge: the names of the tabs alone look like consecutive steps. */
  readonly children: string
}

function Offers({ cards, children }: OffersProps) {
  const { isError, refetch } = useQuery(offersQuery)
  const [shown, setShown] = useState<OfferCard>()
  return (
    <>
      <p className="mb-4 text-muted">{children}</p>
      {cards ? (
        <div className={grid}>
          {cards.map(({ label, sold }) => (
            <Card key={sold.programme} className="flex flex-col">
              <h2 className="text-20 font-semibold tracking-tight">{label}</h2>
              {!('maxDrawdown' in sold) && <p className="text-muted [overflow-wrap:anywhere]">{sold.name}</p>}
              <dl className="mt-4 mb-5 flex flex-col gap-2">
                {sold.price !== null && <OfferLine name="Price">{sold.price}</OfferLine>}
                {sold.rules.map(({ name, percent, amount }) => (
                  <OfferLine key={name} name={name}>
                    {percent}%
                    {amount !== null && (
                      <span className="ml-2 text-13 font-normal text-muted">{formatMoney(amount)}</span>
                    )}
                  </OfferLine>
                ))}
              </dl>
              <div className="mt-auto flex flex-wrap gap-2">
                <ExternalLink href={sold.purchaseUrl}>Buy {label} Account</ExternalLink>
                <Button look="quiet" onClick={() => setShown({ label, sold })}>
                  All Terms<span className="sr-only"> of the {label} account</span>
                </Button>
              </div>
            </Card>
          ))}
        </div>
      ) : isError ? (
        <ErrorState title="Failed to load the accounts." onRetry={refetch}>
          Please try again in a moment.
        </ErrorState>
      ) : (
        <OffersSkeleton />
      )}
      {shown && (
        <OfferTermsDialog
          programme={shown.sold.programme}
          title={`${shown.label}, ${shown.sold.name}`}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}

function OfferLine({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium [overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}

function OffersSkeleton() {
  return (
    <Loading label="Loading accounts" className={grid}>
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="h-[222px] rounded-lg border border-line bg-card p-5">
          <Skeleton className="h-7 w-28" />
          <Skeleton className="mt-5 h-4 w-full" />
          <Skeleton className="mt-3 h-4 w-full" />
          <Skeleton className="mt-3 h-4 w-full" />
          <Skeleton className="mt-6 h-9 w-full" />
        </div>
      ))}
    </Loading>
  )
}
