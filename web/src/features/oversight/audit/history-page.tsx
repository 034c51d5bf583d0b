import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ownAccountsQuery } from '@/features/trading/accounts/account-queries.ts'
import { AccountScope } from '@/features/trading/accounts/account-scope.tsx'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { Card } from '@/ui/card.tsx'
import { DownloadLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { downloads, nowQuery, ownHistory, ownProofOf } from './audit-queries.ts'
import { Replay, ReplaySkeleton } from './replay.tsx'

const route = getRouteApi('/_trader/history')

/** A trader's own account, or all: what was decided when, by whom and why, and what it was like at any moment. */
export function HistoryPage() {
  const search = route.useSearch()
  const { scope } = search
  const { id, accounts, hasSeveral } = useChosenAccount()
  const { isError: isWithoutList } = useQuery(ownAccountsQuery)
  const subject = ownHistory(hasSeveral && scope !== 'all' ? id : undefined)
  // The list of accounts says whose history it is.
  const isKnown = accounts !== undefined || isWithoutList
  const now = useQuery({ ...nowQuery(subject), enabled: isKnown })
  return (
    <>
      <PageHeader title="History" action={<DownloadLink href={ownProofOf(subject)}>Download with proof</DownloadLink>}>
        Everything that happened to your account, and the account as it was at any moment.
      </PageHeader>
      <AccountScope scope={scope} />
      {now.data && isKnown ? (
        <Replay
          key={subject.query.account ?? 'all'}
          subject={subject}
          search={search}
          now={now.data}
          elsewhere={
            subject.query.account !== undefined && (
              <TextLink to="/history" search={(before) => ({ ...before, scope: 'all' as const })}>
                Look in all accounts
              </TextLink>
            )
          }
        />
      ) : now.isError ? (
        <Card>
          <ErrorState title="Your history could not be loaded" error={now.error} onRetry={now.refetch} />
        </Card>
      ) : (
        <ReplaySkeleton />
      )}
      <Downloads proof={ownProofOf(subject)} />
    </>
  )
}

/** The own record as files, and what checks them. */
function Downloads({ proof }: { readonly proof: string }) {
  return (
    <Card title="Take it with you" className="mt-4 print:hidden">
      <ul className="grid gap-5 md:grid-cols-3">
        <FileItem href={proof} label="History with proof">
          Every entry of your account, with what proves that none was changed. Keep it: it can be verified years later,{' '}
          <a className="underline underline-offset-4" href="/verify">
            on this page
          </a>
          .
        </FileItem>
        <FileItem href={downloads.verifier} label="verify.html">
          The same page for your own machine: it verifies a history with proof offline, and sends nothing.
        </FileItem>
        <FileItem href={downloads.everything} label="My personal data">
          Everything that is kept about you, in one file. It proves nothing.
        </FileItem>
      </ul>
    </Card>
  )
}

function FileItem({
  href,
  label,
  children,
}: {
  readonly href: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <li className="flex flex-col items-start gap-2">
      <DownloadLink href={href}>{label}</DownloadLink>
      <p className="text-13 text-muted">{children}</p>
    </li>
  )
}
