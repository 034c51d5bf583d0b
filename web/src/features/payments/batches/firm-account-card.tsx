import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/features/frame/access.tsx'
import { lazyPart } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { SettingRow } from '@/ui/card.tsx'
import { FailedFigures, LoadingLines } from '@/ui/states.tsx'
import { firmAccountQuery } from './batch-queries.ts'

const FirmAccountDialog = lazyPart(() =>
  import('./firm-account-dialog.tsx').then(({ FirmAccountDialog }) => FirmAccountDialog),
)

/** The account that the firm pays from, for those who may change it. */
export function FirmAccountCard() {
  const mayManage = useMay('manage-payments')
  const { data, isError, refetch } = useQuery({ ...firmAccountQuery, enabled: mayManage })
  const [isChanging, setIsChanging] = useState(false)
  if (!mayManage) return null
  const account = data?.account
  return (
    <SettingRow
      title="Firm's account"
      action={
        <Button look="secondary" onClick={() => setIsChanging(true)}>
          {account ? 'Change Account' : 'Set Account'}
        </Button>
      }
    >
      {account ? (
        `${account.name} · ${account.iban} · ${account.bic}`
      ) : data ? (
        'None yet. A SEPA batch names the account that pays, so it needs one.'
      ) : isError ? (
        <FailedFigures onRetry={refetch}>The account could not be loaded.</FailedFigures>
      ) : (
        <LoadingLines lines={1} />
      )}
      {isChanging && <FirmAccountDialog onClose={() => setIsChanging(false)} />}
    </SettingRow>
  )
}
