import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import type { ReactNode } from 'react'
import { accountField, type AccountFieldName, detailFields } from '#services/trading/accounts/account-fields.ts'
import type { Permission } from '#services/identity/staff/permissions.ts'
import { countryName } from '@/format/countries.ts'
import { formatLimit, formatMoney } from '@/format/money.ts'
import { platformName } from '@/format/status.ts'
import { AccountStatusBadge, Badge, BannedBadge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { MissingInPage } from '@/ui/missing-part.tsx'
import { Loading, Skeleton } from '@/ui/states.tsx'
import { CopyableId, DateText, EmailText, ProfitLoss, Stamped } from '@/ui/text.tsx'
import { useMay, usePermissions } from '@/features/frame/access.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import type { LimitName } from '@/features/trading/accounts/standing.ts'
import { StandingFigures } from '@/features/trading/accounts/standing-figures.tsx'
import { formPermissions, type UserForm } from '@/features/frame/user-link.tsx'
import { lazyPartOr } from '@/lazy-page.ts'
import { useMutation } from '@tanstack/react-query'
import { CopyButton } from '@/ui/copy-button.tsx'
import { showMasterPassword } from '@/features/trading/accounts/staff-account-queries.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

const PayoutTerms = lazyPartOr(
  () => import('@/features/trading/accounts/payout-terms.tsx').then(({ PayoutTerms }) => PayoutTerms),
  MissingInPage,
)

/** The four sections about a user and the shown account (specification §2), and the payout terms of the account. */
export function DetailsView({
  user,
  onEdit,
}: {
  readonly user: UserDetails
  readonly onEdit: (form: UserForm) => void
}) {
  const may = usePermissions()
  const { tradingAccount: account } = user
  const fields = (names: readonly AccountFieldName[]) =>
    names.map((name) => ({
      name: accountField(name).label,
      value:
        name === 'masterPassword' && account?.masterPassword ? (
          <MasterPassword key={account.id} of={user} account={account.id} masked={account.masterPassword} />
        ) : (
          <FieldValue of={user.id} name={name} account={account} />
        ),
    }))
  const edit = (form: UserForm, permission: Permission = formPermissions[form]) =>
    may(permission) ? () => onEdit(form) : undefined
  return (
    <div className="grid items-start gap-x-8 gap-y-6 sm:grid-cols-2">
      <Section title="Personal information" onEdit={edit('edit')}>
        <DescriptionList
          items={[
            { name: 'ID', value: <CopyableId id={user.id} of={user.fullName} /> },
            { name: 'Name', value: user.fullName },
            {
              name: 'Email',
              value: (
                <span className="inline-flex flex-wrap items-center gap-x-2">
                  <EmailText email={user.email} />
                  {!user.emailConfirmed && <Badge tone="waiting">Not confirmed</Badge>}
                </span>
              ),
            },
            { name: 'Country', value: countryName(user.country) || none },
            { name: 'City', value: user.city || none },
            { name: 'Street', value: user.street || none },
            { name: 'House Number', value: user.houseNumber || none },
            { name: 'Joined', value: <DateText at={user.createdAt} how="words" /> },
            {
              name: 'Access',
              value: (
                <Stamped of={user.id} stamp={user.banStamp} why={user.banReason}>
                  {user.banned ? <BannedBadge /> : <Badge tone="good">Active</Badge>}
                </Stamped>
              ),
            },
            { name: 'Ban Reason', value: user.banReason ?? none },
          ]}
        />
      </Section>
      <Section title="Account status" onEdit={edit('edit', 'change-accounts')}>
        <DescriptionList items={fields(detailFields.status)} />
      </Section>
      <Section title="Trading platform" onEdit={edit('platform')}>
        <DescriptionList items={fields(detailFields.platform)} />
      </Section>
      <Section title="Risk management" onEdit={account?.programme ? undefined : edit('risk')}>
        <DescriptionList items={[...fields(detailFields.risk)]} />
        {account && <StandingFigures account={account} of={user.id} className="mt-2" />}
      </Section>
      {account && (
        <Section
          title="Payout terms"
          className="sm:col-span-2"
          onEdit={account.open && !account.programme ? edit('terms') : undefined}
        >
          <PayoutTerms userId={user.id} account={account.id} ofProgramme={account.programme !== null} />
        </Section>
      )}
    </div>
  )
}

/** The stamp of the decision on a field. */
const stampOf: Readonly<Partial<Record<AccountFieldName, 'status' | 'phase' | 'payouts' | LimitName>>> = {
  status: 'status',
  phase: 'phase',
  payoutEnabled: 'payouts',
  dailyDrawdownLimit: 'dailyDrawdownLimit',
  overallLossLimit: 'overallLossLimit',
  profitTarget: 'profitTarget',
}

/** A field of the account, with the stamp of its decision. */
function FieldValue({
  of,
  name,
  account,
}: {
  readonly of: string
  readonly name: AccountFieldName
  readonly account: UserDetails['tradingAccount']
}) {
  const value = <PlainValue name={name} value={account?.[name]} />
  const stamp = stampOf[name]
  if (!stamp) return value
  return (
    <Stamped of={of} stamp={account?.stamps[stamp]}>
      <span>{value}</span>
    </Stamped>
  )
}

function PlainValue({
  name,
  value,
}: {
  readonly name: AccountFieldName
  readonly value: string | boolean | null | undefined
}) {
  const { kind, mono } = accountField(name)
  if (kind === 'switch') return value ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>
  const text = typeof value === 'string' ? value : undefined
  if (kind === 'status') return <AccountStatusBadge status={text} />
  if (kind === 'platform') return <>{text === undefined ? none : platformName(text)}</>
  if (kind === 'money') return <>{formatMoney(text)}</>
  if (kind === 'limit' || kind === 'target') return <>{formatLimit(text ?? null) ?? none}</>
  if (kind === 'profit') return <ProfitLoss amount={text} />
  if (mono && text) return <span className="font-mono text-13 [overflow-wrap:anywhere]">{text}</span>
  return <>{text ?? none}</>
}

const none = <span className="text-muted">Not set</span>

interface SectionProps {
  readonly title: string
  readonly onEdit: (() => void) | undefined
  readonly className?: string
  readonly children: ReactNode
}

function Section({ title, onEdit, className = '', children }: SectionProps) {
  const edit = onEdit && (
    <Button look="quiet" className="h-8! px-2! text-13!" aria-label={`Edit ${title.toLowerCase()}`} onClick={onEdit}>
      Edit
    </Button>
  )
  return (
    <DetailsSection title={title} buttons={edit} className={className}>
      <div className="mt-3">{children}</div>
    </DetailsSection>
  )
}

/** The sections' shape while the user is read. */
export function DetailsSkeleton() {
  return (
    <Loading label="Loading the user" className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
      {[10, detailFields.status.length, detailFields.platform.length, detailFields.risk.length].map((lines, index) => (
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

interface MasterPasswordProps {
  readonly of: UserName
  readonly account: string
  /** The dots that the server sent. */
  readonly masked: string
}

/** A master password, masked until a member of staff shows it: the server records that. Kept only while it is shown. */
function MasterPassword({ of, account, masked }: MasterPasswordProps) {
  const mayShow = useMay('show-passwords')
  const show = useMutation(showMasterPassword)
  const shown = show.data?.masterPassword
  return (
    <span className="flex flex-col gap-1">
      <span className="inline-flex flex-wrap items-center gap-2">
        <span className="font-mono text-13 [overflow-wrap:anywhere]">{shown ?? masked}</span>
        {shown !== undefined && <CopyButton text={shown} label="Copy the master password" />}
        {mayShow && (
          <Button
            look="quiet"
            className="h-8! px-2! text-13!"
            busy={show.isPending}
            aria-label={shown === undefined ? 'Show the master password' : 'Hide the master password'}
            onClick={() => (shown === undefined ? show.mutate({ ...of, account }) : show.reset())}
          >
            {shown === undefined ? 'Show' : 'Hide'}
          </Button>
        )}
      </span>
      <span className="text-12 text-muted">
        {mayShow ? 'Showing it is recorded, and the trader sees it.' : 'Your role does not allow to show it.'}
      </span>
    </span>
  )
}
