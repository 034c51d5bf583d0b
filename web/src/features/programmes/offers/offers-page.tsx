import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Offer } from '#services/programmes/programmes/offer-api.ts'
import { formatMoney } from '@/format/money.ts'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { offersQuery } from './offer-queries.ts'

const OfferTermsDialog = lazyPart(() =>
  import('./offer-terms-dialog.tsx').then(({ OfferTermsDialog }) => OfferTermsDialog),
)
const route = getRouteApi('/_trader/account-sizes')

/** Six sizes in two challenges, bought at the firm's checkout (specification §2, §9). */
export function OffersPage() {
  const { phase = '1' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader title="Buy an Account">
        Choose a challenge and a size. The checkout opens in a new tab and names the price.
      </PageHeader>
      <Tabs
        label="Challenge"
        value={phase}
        onChange={(chosen) =>
          void navigate({ search: { phase: chosen === '1' ? undefined : chosen }, resetScroll: false })
        }
        tabs={[
          {
            value: '1',
            label: 'Phase 1 (One-Step Challenge)',
            content: <Offers challenge="oneStep">One phase.</Offers>,
          },
          {
            value: '2',
            label: 'Phase 2 (Two-Step Challenge)',
            content: (
              <Offers challenge="twoStep">
                Another challenge, not the next step of the first: two phases, one after the other.
              </Offers>
            ),
          },
        ]}
      />
    </>
  )
}

const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3'

interface OffersProps {
  readonly challenge: 'oneStep' | 'twoStep'
  /** A line about the challenge: the names of the tabs alone look like consecutive steps. */
  readonly children: string
}

function Offers({ challenge, children }: OffersProps) {
  const { data, isError, refetch } = useQuery(offersQuery)
  const [shown, setShown] = useState<Offer>()
  return (
    <>
      <p className="mb-4 text-muted">{children}</p>
      {data ? (
        <div className={grid}>
          {data.map((offer) => (
            <Card key={offer.size} className="flex flex-col">
              <h2 className="text-20 font-semibold tracking-tight">{offer.label}</h2>
              <dl className="mt-4 mb-5 flex flex-col gap-2">
                {offer[challenge].rules.map(({ name, percent, amount }) => (
                  <div key={name} className="flex items-baseline justify-between gap-4">
                    <dt className="text-muted">{name}</dt>
                    <dd>
                      <span className="font-medium">{percent}%</span>
                      {amount !== null && <span className="ml-2 text-13 text-muted">{formatMoney(amount)}</span>}
                    </dd>
                  </div>
                ))}
              </dl>
              <div className="mt-auto flex flex-wrap gap-2">
                <ExternalLink href={offer[challenge].purchaseUrl}>Buy {offer.label} Account</ExternalLink>
                <Button look="quiet" onClick={() => setShown(offer)}>
                  All Terms<span className="sr-only"> of the {offer.label} account</span>
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
          programme={shown[challenge].programme}
          title={`${shown.label}, ${shown[challenge].name}`}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
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
