import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Card, FigureList } from '@/ui/card.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { accountQuery } from '@/features/trading/accounts/account-queries.ts'
import { AccountScope, useRowsInScope } from '@/features/trading/accounts/account-scope.tsx'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { userQuery } from '@/features/frame/session-queries.ts'
import { UnacceptedTerms } from '@/features/trading/enrolments/unaccepted-terms.tsx'
import { SupportContact } from '@/features/frame/support-contact.tsx'
import {
  isEligible,
  nextDayInWords,
  receivesOfAvailable,
  whyNotEligible,
  whyNotNow,
} from '@/features/trading/accounts/payout-words.ts'
import { NothingNow } from '@/features/trading/accounts/still-missing.tsx'
import { ChecklistCard, requirements } from './checklist.tsx'
import { HistoryTable } from './history-table.tsx'
import { payoutsQuery, payoutSummaryQuery } from './payout-queries.ts'
import { ProfitAndRequests } from './profit-and-requests.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { formatMoney } from '@/format/money.ts'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { lazyComponent } from '@/lazy-page.ts'

const SavedDestinations = lazyComponent(() =>
  import('./saved-destinations.tsx').then(({ SavedDestinations }) => SavedDestinations),
)
const route = getRouteApi('/_trader/payouts')

/** Not every account may ask: the form and its checks load beside the account. */
const loadForm = () => import('./request-form.tsx')
const RequestForm = lazyComponent(() => loadForm().then(({ RequestForm }) => RequestForm))

/** The request form and the payout history (specification §2). */
export function PayoutsPage() {
  const { scope, payout } = route.useSearch()
  const change = useChangeAddress()
  const { named, accounts, hasSeveral } = useChosenAccount()
  const account = useQuery(accountQuery(named))
  const { data: user } = useQuery(userQuery)
  const payouts = useQuery(payoutsQuery)
  const summary = useQuery(payoutSummaryQuery(named))
  const ofAccount = useRowsInScope(payouts.data, undefined)
  const inScope = useRowsInScope(payouts.data, scope)
  useEffect(() => void loadForm().catch(() => {}), [])
  return (
    <>
      <PageHeader title="Payouts">Request a payout and follow its status.</PageHeader>
      <UnacceptedTerms accounts={accounts} />
      <RejectedNotice payouts={ofAccount} />
      <div className="mb-8 grid items-start gap-4 lg:grid-cols-2">
        {account.data ? (
          <>
            <RequestCard
              account={account.data}
              profit={<ProfitAndRequests summary={summary.data} failed={summary.isError} onRetry={summary.refetch} />}
              form={
                <Suspense fallback={formSkeleton}>
                  <RequestForm
                    key={account.data.id}
                    account={account.data}
                    summary={summary.data}
                    payouts={payouts.data ?? []}
                  />
                </Suspense>
              }
            />
            <ChecklistCard
              requirements={requirements(account.data, user?.banned ?? false)}
              byTerms={account.data.payout !== null}
              hasNeeds={(account.data.payout?.needs.length ?? 0) > 0}
            />
          </>
        ) : account.isError ? (
          <Card className="lg:col-span-2">
            <ErrorState title="Failed to load your account." onRetry={account.refetch}>
              We couldn&apos;t check your payout eligibility. Please try again in a moment.
            </ErrorState>
          </Card>
        ) : (
          <RequestSkeleton />
        )}
      </div>
      <h2 className="mb-3 text-16 font-semibold">Payout history</h2>
      <AccountScope scope={scope} />
      <HistoryTable
        payouts={inScope}
        namesAccount={scope === 'all' && hasSeveral}
        failed={payouts.isError}
        onRetry={() => void payouts.refetch()}
        openId={payout}
        onOpen={(id) => void change({ payout: id })}
      />
      <Suspense fallback={null}>
        <SavedDestinations />
      </Suspense>
    </>
  )
}

interface RequestCardProps {
  readonly account: OwnAccount
  /** Stands in place of the terms, where there are none. */
  readonly profit: ReactNode
  readonly form: ReactNode
}

/** The sum that may be requested, and the form while there is one. */
export function RequestCard({ account, profit, form }: RequestCardProps) {
  const { payout } = account
  const card = useRef<HTMLElement>(null)
  const hasFocus = useRef(false)
  const hasForm = isEligible(account) && (!payout || whyNotNow(payout) === undefined)
  // A request may be the last one possible: the form goes, and the focus stays where it was.
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) card.current?.focus()
  }, [hasForm])
  if (!isEligible(account)) return <NotAvailable account={account} />
  return (
    <Card
      ref={card}
      tabIndex={-1}
      title="Request a payout"
      onFocus={() => (hasFocus.current = true)}
      onBlur={() => (hasFocus.current = false)}
    >
      {payout ? <AvailableByTerms payout={payout} /> : profit}
      {hasForm && form}
    </Card>
  )
}

/** Replaces the form while payouts are disabled (specification §2). */
function NotAvailable({ account }: { readonly account: OwnAccount }) {
  return (
    <Card>
      <div role="status">
        <h2 className="text-16 font-semibold">Payouts not available</h2>
        <p className="mt-2 text-muted">
          Your account is not currently eligible for payouts. Please contact support for more information.
        </p>
        <p className="mt-1 text-muted">{whyNotEligible(account)}</p>
        <p className="mt-1 text-muted empty:hidden">
          <SupportContact />
        </p>
      </div>
    </Card>
  )
}

const formSkeleton = (
  <Loading label="Loading the request form" className="flex flex-col gap-5">
    {['w-full', 'w-full', 'w-32'].map((width, index) => (
      <Skeleton key={index} className={`h-9 ${width}`} />
    ))}
  </Loading>
)

function RequestSkeleton() {
  return (
    <>
      {['Loading the request form', 'Loading the payout requirements'].map((label) => (
        <Loading
          key={label}
          label={label}
          className="flex h-[300px] flex-col gap-5 rounded-lg border border-line bg-card p-5"
        >
          {['w-40', 'w-full', 'w-full', 'w-32'].map((width, index) => (
            <Skeleton key={index} className={`h-8 ${width}`} />
          ))}
        </Loading>
      ))}
    </>
  )
}

type Terms = NonNullable<OwnAccount['payout']>

/** Shows the payout that the terms allow now, as the server says it, and what is missing. */
export function AvailableByTerms({ payout }: { readonly payout: Terms }) {
  const { available, waiting, profit, terms, events } = payout
  return (
    <div className="not-last:mb-5 not-last:border-b not-last:border-line not-last:pb-4">
      <FigureList
        items={[
          { name: 'Available now', value: formatMoney(available) },
          { name: 'You receive of it', value: receivesOfAvailable(payout) },
          { name: 'Profit', value: formatMoney(profit) },
          { name: 'Open requests', value: formatMoney(waiting) },
          { name: 'Next possible day', value: nextDayInWords(payout) },
        ]}
      />
      <NothingNow payout={payout} className="mt-3" />
      <p className="mt-2 text-13 text-muted">
        By the terms “{terms.name}” (#{events.terms}), and your balance of #{events.balance}
        {events.payout !== null && `, after the payout of #${events.payout}`}.
      </p>
    </div>
  )
}

/** Says first on the page that the newest request was rejected, and why. */
export function RejectedNotice({ payouts }: { readonly payouts: readonly ListedPayout[] | undefined }) {
  const [newest] = payouts ?? []
  if (newest?.status !== 'rejected') return null
  return (
    <section aria-label="Your last request" className="mb-4 rounded-lg border border-bad/40 bg-bad-soft px-5 py-4">
      <p className="font-semibold text-bad">
        Your request of {formatDate(newest.createdAt, 'words')} for {formatMoney(newest.amount)} was rejected
      </p>
      <p className="mt-1 whitespace-pre-wrap break-words">
        {newest.adminNotes?.trim() ? newest.adminNotes : 'The administrator left no notes. Please contact support.'}
      </p>
    </section>
  )
}
