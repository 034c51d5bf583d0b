import { useQuery, useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Award, Download, Share2 } from 'lucide-react'
import { useState } from 'react'
import type { Certificate, CertificateShare } from '#services/trading/certificates/certificate-api.ts'
import { AccountScope, accountColumn, useRowsInScope } from '@/features/trading/accounts/account-scope.tsx'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { counted } from '@/format/counts.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Checkbox, TextInput } from '@/ui/field.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { QrCode } from '@/ui/qr-code.tsx'
import { EmptyState, ErrorState } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { DateText } from '@/ui/text.tsx'
import { certificatesQuery, endSharing, shareCertificate } from './certificate-queries.ts'

const certificateIdOf = ({ id }: Certificate) => id

const columnsOf = (namesAccount: boolean): readonly Column<Certificate>[] => [
  { header: 'Certificate Name', cell: (certificate) => <Name {...certificate} /> },
  ...(namesAccount ? [accountColumn] : []),
  { header: 'Issued Date', cell: ({ issuedAt }) => <DateText at={issuedAt} how="words" /> },
  { header: 'Added Date', cell: ({ uploadedAt }) => <DateText at={uploadedAt} how="words" /> },
  {
    header: 'Download',
    align: 'right',
    headerHidden: true,
    cell: (certificate) => (
      <span className="inline-flex flex-wrap justify-end gap-2">
        <ShareButton certificate={certificate} />
        <ExternalLink
          look="secondary"
          href={certificate.fileUrl}
          aria-label={`Download ${certificate.name}`}
          className="h-8!"
        >
          <Download size={14} aria-hidden />
          Download
        </ExternalLink>
      </span>
    ),
  },
]

const [columns, columnsWithAccount] = [columnsOf(false), columnsOf(true)]

function Name({ name, revokedAt, share }: Certificate) {
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="font-medium">{name}</span>
      {revokedAt !== null && <Badge tone="bad">Revoked</Badge>}
      {share && <Badge tone="good">Shared</Badge>}
    </span>
  )
}

/** A revoked certificate can no longer be shared, but a link to it can be ended. */
function ShareButton({ certificate }: { readonly certificate: Certificate }) {
  const [isOpen, setIsOpen] = useState(false)
  const { name, revokedAt, share } = certificate
  if (revokedAt !== null && !share && !isOpen) return null
  return (
    <>
      <Button look="secondary" className="h-8!" aria-label={`Share ${name}`} onClick={() => setIsOpen(true)}>
        <Share2 size={14} aria-hidden />
        Share
      </Button>
      {isOpen && <ShareDialog certificate={certificate} onClose={() => setIsOpen(false)} />}
    </>
  )
}

const route = getRouteApi('/_trader/certificates')

/** The trader's certificates (specification §2). */
export function CertificatesPage() {
  const { scope } = route.useSearch()
  const { data, isError, refetch } = useQuery(certificatesQuery)
  const { hasSeveral } = useChosenAccount()
  const inScope = useRowsInScope(data, scope)
  const table = (
    <DataTable
      label="Certificates"
      columns={scope === 'all' && hasSeveral ? columnsWithAccount : columns}
      rows={inScope}
      rowId={certificateIdOf}
      expectedRows={3}
      empty={
        data && data.length > 0 ? (
          <EmptyState title="None of this account" icon={<Award size={24} aria-hidden />}>
            {counted(data.length, 'certificate')} of your other accounts: choose “All accounts”.
          </EmptyState>
        ) : (
          <EmptyState title="No certificates yet" icon={<Award size={24} aria-hidden />}>
            Your certificates will appear here when they are issued by the admin.
          </EmptyState>
        )
      }
      error={
        isError &&
        !data && <ErrorState title="Failed to load certificates. Please try refreshing the page." onRetry={refetch} />
      }
    />
  )
  return (
    <>
      <PageHeader title="Certificates">Proof of the challenges you passed.</PageHeader>
      <AccountScope scope={scope} />
      <Tabs
        label="Certificates"
        value="all"
        onChange={() => {}}
        tabs={[{ value: 'all', label: 'All Certificates', content: table }]}
      />
    </>
  )
}

interface ShareDialogProps {
  readonly certificate: Certificate
  readonly onClose: () => void
}

/** Shares a certificate under a public link, changes what its page shows, and ends it. */
export function ShareDialog({ certificate: { id, name, share }, onClose }: ShareDialogProps) {
  const change = useMutation(shareCertificate)
  const end = useMutation(endSharing)
  const [showsName, setShowsName] = useState(share?.showsName ?? false)
  const choose = (next: boolean) => {
    setShowsName(next)
    if (share) change.mutate({ id, showsName: next }, { onError: () => setShowsName(share.showsName) })
  }
  const footer = share ? (
    <>
      <Button look="secondary" busy={end.isPending} onClick={() => end.mutate(id)}>
        Stop Sharing
      </Button>
      <Button onClick={onClose}>Done</Button>
    </>
  ) : (
    <>
      <Button look="secondary" onClick={onClose}>
        Cancel
      </Button>
      <Button busy={change.isPending} onClick={() => change.mutate({ id, showsName })}>
        Create Link
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Share ${name}`}
      description="Anyone with the link sees what was issued to you, when, by which firm, and whether it is still valid."
      footer={footer}
      onClose={onClose}
    >
      <div className="flex flex-col gap-5">
        {share && <Link share={share} name={name} />}
        <Checkbox
          label="Show my name on the page"
          hint="Without it, the words of your name are also left out of the certificate’s name. The receipt on the page holds the number of your account, and never your name."
          checked={showsName}
          onChange={({ target }) => choose(target.checked)}
        />
        <p className="text-13 text-muted">
          {share
            ? 'When you stop sharing, the link and its QR code stop working at once and for good. Sharing again makes another link.'
            : 'You can stop sharing at any time. The link ends too when your account is deleted.'}
        </p>
      </div>
    </Dialog>
  )
}

function Link({ share: { path }, name }: { readonly share: CertificateShare; readonly name: string }) {
  const address = new URL(path, window.location.origin).href
  return (
    <div className="flex flex-wrap items-start gap-5">
      <QrCode text={address} label={`QR code of the link to ${name}`} className="size-40 shrink-0 border border-line" />
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-3">
        <div className="flex items-end gap-2">
          <TextInput
            label="Link"
            readOnly
            value={address}
            className="flex-1"
            onFocus={({ target }) => target.select()}
          />
          <span className="pb-1">
            <CopyButton text={address} label="Copy the link" />
          </span>
        </div>
        <ExternalLink look="secondary" href={path} className="self-start">
          Open the Page
        </ExternalLink>
      </div>
    </div>
  )
}
