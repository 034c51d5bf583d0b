import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Certificate, CertificateShare } from '#services/trading/certificates/certificate-api.ts'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/copy-button.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Checkbox, TextInput } from '@/ui/field.tsx'
import { ExternalLink } from '@/ui/link.tsx'
import { QrCode } from '@/ui/qr-code.tsx'
import { endSharing, shareCertificate } from './certificate-queries.ts'

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
