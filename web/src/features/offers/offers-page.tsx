import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Offer } from '../../../../services/api/offer-schemas.ts'
import { formatMoney } from '../../format/money.ts'
import { Card } from '../../ui/card.tsx'
import { ExternalLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState, Loading, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { offersQuery } from './offer-queries.ts'

const route = getRouteApi('/_trader/account-sizes')

/** Six sizes in two challenges, bought at the firm's checkout (specification §2, §9). */
export function OffersPage() {
  const { phase = '1' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, isError, refetch } = useQuery(offersQuery)
  const shown = (termsOf: (offer: Offer) => Terms) => {
    if (data) return <Offers offers={data} termsOf={termsOf} />
    if (!isError) return <OffersSkeleton />
    return (
      <ErrorState title="Failed to load the accounts." onRetry={refetch}>
        Please try again in a moment.
      </ErrorState>
    )
  }
  return (
    <>
      <PageHeader title="Buy an Account">Choose a challenge and a size. The checkout opens in a new tab.</PageHeader>
      <Tabs
        label="Challenge"
        value={phase}
        onChange={(chosen) => void navigate({ search: { phase: chosen === '1' ? undefined : chosen }, resetScroll: false })}
        tabs={[
          { value: '1', label: 'Phase 1 (One-Step Challenge)', content: shown(oneStepTerms) },
          { value: '2', label: 'Phase 2 (Two-Step Challenge)', content: shown(twoStepTerms) },
        ]}
      />
    </>
  )
}

/** The rules of a challenge, in percent of the account's size. */
interface Terms {
  readonly rules: readonly { readonly name: string; readonly percent: number }[]
  readonly purchaseUrl: string
}

function oneStepTerms({ oneStep: { profitTarget, maxDailyLoss, maxDrawdown, purchaseUrl } }: Offer): Terms {
  return {
    rules: [
      { name: 'Profit target', percent: profitTarget },
      { name: 'Max daily loss', percent: maxDailyLoss },
      { name: 'Max drawdown', percent: maxDrawdown },
    ],
    purchaseUrl,
  }
}

function twoStepTerms({ twoStep: { phase1Target, phase2Target, maxDailyLoss, maxDrawdown, purchaseUrl } }: Offer): Terms {
  return {
    rules: [
      { name: 'Phase 1 target', percent: phase1Target },
      { name: 'Phase 2 target', percent: phase2Target },
      { name: 'Max daily loss', percent: maxDailyLoss },
      { name: 'Max drawdown', percent: maxDrawdown },
    ],
    purchaseUrl,
  }
}

function Offers({ offers, termsOf }: { readonly offers: readonly Offer[]; readonly termsOf: (offer: Offer) => Terms }) {
  return (
    <Grid>
      {offers.map((offer) => {
        const { rules, purchaseUrl } = termsOf(offer)
        return (
          <Card key={offer.size} className="flex flex-col">
            <h2 className="text-20 font-semibold tracking-tight">{offer.label}</h2>
            <dl className="mt-4 mb-5 flex flex-col gap-2">
              {rules.map(({ name, percent }) => (
                <div key={name} className="flex items-baseline justify-between gap-4">
                  <dt className="text-muted">{name}</dt>
                  <dd>
                    <span className="font-medium">{percent}%</span>
                    <span className="ml-2 text-13 text-muted">{formatMoney((offer.size * percent) / 100)}</span>
                  </dd>
                </div>
              ))}
            </dl>
            <ExternalLink href={purchaseUrl} className="mt-auto">
              Buy {offer.label} Account
            </ExternalLink>
          </Card>
        )
      })}
    </Grid>
  )
}

function OffersSkeleton() {
  return (
    <Loading label="Loading accounts">
      <Grid>
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className="h-[222px] rounded-lg border border-line bg-card p-5">
            <Skeleton className="h-7 w-28" />
            <Skeleton className="mt-5 h-4 w-full" />
            <Skeleton className="mt-3 h-4 w-full" />
            <Skeleton className="mt-3 h-4 w-full" />
            <Skeleton className="mt-6 h-9 w-full" />
          </div>
        ))}
      </Grid>
    </Loading>
  )
}

function Grid({ children }: { readonly children: ReactNode }) {
  return <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">{children}</div>
}
