import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Notice } from '#services/oversight/notices/notice-api.ts'
import { formatMoney } from '@/format/money.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { TextLink } from '@/ui/link.tsx'
import { Loaded, EmptyState, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { ownHistoryAddress } from '@/addresses.ts'
import { accountLabel } from '@/format/account-name.ts'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { describeChanges, titleOf } from '@/features/oversight/audit/words.ts'
import { noticesQuery, useSeeNotices } from './notice-queries.ts'

/** Lists the latest actions of others on the account. Opening it marks all of them as seen, on every device. */
export function NoticesDialog({ onClose }: { readonly onClose: () => void }) {
  const notices = useQuery(noticesQuery)
  const { mutate } = useSeeNotices()
  const newest = notices.data?.entries[0]?.number ?? 0
  const seenUpTo = notices.data?.seenUpTo
  // Notices that were new when the dialog opened stay marked while it is open.
  const [seenBefore, setSeenBefore] = useState(seenUpTo)
  if (seenBefore === undefined && seenUpTo !== undefined) setSeenBefore(seenUpTo)
  useEffect(() => {
    if (seenUpTo !== undefined && newest > seenUpTo) mutate(newest)
  }, [newest, seenUpTo, mutate])
  return (
    <Dialog
      title="Notices"
      description={
        <>
          What changed on your account. <TextLink to="/settings">Settings</TextLink> say what is mailed to you.
        </>
      }
      onClose={onClose}
      focusContent
    >
      <Loaded query={notices} failure="The notices could not be loaded" loading={<LoadingLines lines={4} />}>
        {({ entries }) => <NoticeList entries={entries} seenBefore={seenBefore ?? 0} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

interface NoticeListProps {
  readonly entries: readonly Notice[]
  readonly seenBefore: number
  readonly onClose: () => void
}

function NoticeList({ entries, seenBefore, onClose }: NoticeListProps) {
  const { named, hasSeveral } = useChosenAccount()
  const accountNamed = ({ accountId }: Notice) => (hasSeveral ? (accountId ?? named) : named)
  if (entries.length === 0)
    return <EmptyState title="Nothing yet">Decisions about your account appear here.</EmptyState>
  return (
    <ul aria-label="Notices, newest first" className="flex flex-col">
      {entries.map((entry) => (
        <li key={entry.number} className="flex flex-col gap-0.5 border-line py-3 not-last:border-b">
          <p className="flex flex-wrap items-center justify-between gap-x-3">
            <span className="inline-flex items-center gap-2">
              <AddressLink
                look="quiet"
                className="font-medium"
                href={ownHistoryAddress(entry.number, accountNamed(entry))}
                onClick={onClose}
              >
                {titleOf(entry.type)}
                {entry.amount !== null && `: ${formatMoney(entry.amount)}`}
                {hasSeveral && entry.accountId !== null && ` · ${accountLabel(entry.accountId)}`}
              </AddressLink>
              {entry.number > seenBefore && <Badge tone="good">New</Badge>}
            </span>
            <span className="text-12 text-muted">
              <DateText at={entry.at} how="stamp" />
            </span>
          </p>
          {describeChanges(entry.changes).map(({ field, label, from, to }) => (
            <p key={field} className="text-13 break-words">
              <span className="text-muted">{label}</span> {from !== undefined && `${from} → `}
              {to}
            </p>
          ))}
          {entry.reason !== null && <p className="text-13 break-words whitespace-pre-line">{entry.reason}</p>}
        </li>
      ))}
    </ul>
  )
}
