import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FirmAnswer } from '#services/identity/firm/firm-api.ts'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { Fold } from '@/ui/fold.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { firmQuery, removeLogo } from './firm-queries.ts'

const FirmDialog = lazyPart(() => import('./firm-dialogs.tsx').then(({ FirmDialog }) => FirmDialog))
const LogoDialog = lazyPart(() => import('./firm-dialogs.tsx').then(({ LogoDialog }) => LogoDialog))

/** What people see of the firm, for those who may change it. */
export function FirmCard() {
  const maySet = useMay('set-up-firm')
  const { data, isError, refetch } = useQuery({ ...firmQuery, enabled: maySet })
  const [dialog, setDialog] = useState<'firm' | 'logo'>()
  const remove = useMutation(removeLogo)
  if (!maySet) return null
  const close = () => setDialog(undefined)
  return (
    <Fold
      id="firm"
      title="Name and colours"
      summary={data && (data.name ?? data.defaults.name ?? 'None yet: pages and mails say Proofdesk')}
      needsAttention={data !== undefined && data.name === null && data.defaults.name === null}
    >
      {data ? (
        <>
          <Firm firm={data} />
          <div className="mt-4 flex flex-wrap gap-2">
            <Button look="secondary" onClick={() => setDialog('firm')}>
              Change
            </Button>
            <Button look="secondary" onClick={() => setDialog('logo')}>
              {data.shown.logo ? 'Replace Logo' : 'Upload Logo'}
            </Button>
            {data.shown.logo && (
              <Button look="quiet" busy={remove.isPending} onClick={() => remove.mutate()}>
                Remove Logo
              </Button>
            )}
          </div>
        </>
      ) : isError ? (
        <FailedFigures onRetry={refetch}>The name and colours could not be loaded.</FailedFigures>
      ) : (
        <LoadingLines lines={5} />
      )}
      {dialog === 'firm' && data && <FirmDialog firm={data} onClose={close} />}
      {dialog === 'logo' && <LogoDialog onClose={close} />}
    </Fold>
  )
}

function Firm({ firm }: { readonly firm: FirmAnswer }) {
  const { name, accent, supportEmail, senderName, senderAddress, defaults, shown } = firm
  const { logo } = shown
  return (
    <DescriptionList
      items={[
        { name: 'Name', value: name ?? defaults.name ?? 'None yet' },
        {
          name: 'Logo',
          value: logo ? (
            <img
              src={logo.path}
              alt="The logo"
              className="h-8 w-auto max-w-[min(10rem,100%)] object-contain object-left"
            />
          ) : (
            'None yet'
          ),
        },
        {
          name: 'Colour',
          value:
            accent === null ? (
              "The app's own"
            ) : (
              <span className="inline-flex items-center gap-2">
                <span aria-hidden className="size-4 rounded-sm bg-accent" />
                <span className="font-mono text-12">{accent}</span>
              </span>
            ),
        },
        { name: 'Support', value: supportEmail ?? defaults.supportEmail ?? 'No address: people read only “support”' },
        {
          name: 'Mails from',
          value: `${senderName ?? defaults.senderName} <${senderAddress ?? defaults.senderAddress}>`,
        },
      ]}
    />
  )
}
