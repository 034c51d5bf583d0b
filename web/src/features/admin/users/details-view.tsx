import type { ReactNode } from 'react'
import { useId } from 'react'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { countryName } from '../../../format/countries.ts'
import { formatMoney } from '../../../format/money.ts'
import { AccountStatusBadge, Badge, BannedBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { DescriptionList } from '../../../ui/card.tsx'
import { Loading, Skeleton } from '../../../ui/states.tsx'
import { CopyableId, DateText, DecisionStamp, ProfitLoss } from '../../../ui/text.tsx'
import type { UserForm } from './user-link.tsx'

interface DetailsViewProps {
  readonly user: UserDetails
  /** An auditor sees no buttons. */
  readonly mayChange: boolean
  readonly onEdit: (form: UserForm) => void
}

/** The four sections about a user (specification §2). */
export function DetailsView({ user, mayChange, onEdit }: DetailsViewProps) {
  const { tradingAccount: account } = user
  const edit = (form: UserForm) => (mayChange ? () => onEdit(form) : undefined)
  return (
    <div className="grid items-start gap-x-8 gap-y-6 sm:grid-cols-2">
      <Section title="Personal information" onEdit={edit('edit')}>
        <DescriptionList
          items={[
            { name: 'ID', value: <CopyableId id={user.id} of={user.fullName} /> },
            { name: 'Name', value: user.fullName },
            { name: 'Email', value: <span className="[overflow-wrap:anywhere]">{user.email}</span> },
            { name: 'Country', value: countryName(user.country) || none },
            { name: 'City', value: user.city || none },
            { name: 'Street', value: user.street || none },
            { name: 'House Number', value: user.houseNumber || none },
            { name: 'Joined', value: <DateText at={user.createdAt} how="words" /> },
            {
              name: 'Access',
              value: (
                <WithStamp stamp={<DecisionStamp of={user.id} stamp={user.banStamp} why={user.banReason} />}>
                  {user.banned ? <BannedBadge /> : <Badge tone="good">Active</Badge>}
                </WithStamp>
              ),
            },
            { name: 'Ban Reason', value: user.banReason ?? none },
          ]}
        />
      </Section>
      <Section title="Account status" onEdit={edit('edit')}>
        <DescriptionList
          items={[
            {
              name: 'Status',
              value: (
                <WithStamp stamp={<DecisionStamp of={user.id} stamp={account?.stamps.status} why={account?.stamps.status?.reason} />}>
                  <AccountStatusBadge status={account?.status} />
                </WithStamp>
              ),
            },
            { name: 'Phase', value: <WithStamp stamp={<DecisionStamp of={user.id} stamp={account?.stamps.phase} />}>{account?.phase ?? none}</WithStamp> },
            { name: 'Balance', value: formatMoney(account?.balance) },
            { name: 'Profit/Loss', value: <ProfitLoss amount={account?.profitLoss} /> },
            { name: 'Profit Target', value: account?.profitTarget ?? none },
            {
              name: 'Payouts Enabled',
              value: (
                <WithStamp stamp={<DecisionStamp of={user.id} stamp={account?.stamps.payouts} />}>
                  {account?.payoutEnabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>}
                </WithStamp>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Trading platform" onEdit={edit('platform')}>
        <DescriptionList
          items={[
            { name: 'Login', value: <Mono text={account?.login} /> },
            { name: 'Master Password', value: <Mono text={account?.masterPassword} /> },
            { name: 'Server', value: account?.server ?? none },
          ]}
        />
      </Section>
      <Section title="Risk management" onEdit={edit('risk')}>
        <DescriptionList
          items={[
            { name: 'Daily Drawdown Limit', value: account?.dailyDrawdownLimit ?? none },
            { name: 'Overall Loss Limit', value: account?.overallLossLimit ?? none },
            { name: 'Profit Target', value: account?.profitTarget ?? none },
            ...(account?.stamps.limits
              ? [{ name: 'Decided', value: <DecisionStamp of={user.id} stamp={account.stamps.limits} why={account.stamps.limits.reason} /> }]
              : []),
          ]}
        />
      </Section>
    </div>
  )
}

const none = <span className="text-muted">Not set</span>

function Mono({ text }: { readonly text: string | null | undefined }) {
  return text ? <span className="font-mono text-13 [overflow-wrap:anywhere]">{text}</span> : none
}

/** What was decided, and its stamp. */
function WithStamp({ stamp, children }: { readonly stamp: ReactNode; readonly children: ReactNode }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <span>{children}</span>
      {stamp}
    </span>
  )
}

interface SectionProps {
  readonly title: string
  readonly onEdit: (() => void) | undefined
  readonly children: ReactNode
}

function Section({ title, onEdit, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-3 flex min-h-9 items-center justify-between gap-3 border-b border-line pb-1">
        <h3 id={id} className="text-14 font-semibold">
          {title}
        </h3>
        {onEdit && (
          <Button look="quiet" className="h-8! px-2! text-13!" aria-describedby={id} onClick={onEdit}>
            Edit
          </Button>
        )}
      </div>
      {children}
    </section>
  )
}

/** The sections' shape while the user is read. */
export function DetailsSkeleton() {
  return (
    <Loading label="Loading the user" className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
      {[10, 6, 3, 3].map((lines, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton className="mb-3 h-9 w-40" />
          {Array.from({ length: lines }, (_, line) => (
            <Skeleton key={line} className="h-5 w-full" />
          ))}
        </div>
      ))}
    </Loading>
  )
}
